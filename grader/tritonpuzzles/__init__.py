"""Numbered Triton puzzles, from naive softmax to FlashAttention-2, and a grader that teaches.

Importing this module imports neither torch nor triton; a check does.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tritonpuzzles.front.check import CheckReport
    from tritonpuzzles.front.jupyter.magics import Shell

__all__ = ["__version__", "check"]

__version__ = "0.1.0"


def load_ipython_extension(shell: Shell) -> None:
    """Give a notebook the magics: `%load_ext tritonpuzzles`."""
    from tritonpuzzles.front.jupyter.magics import register

    register(shell)


def check(
    *puzzles: int | str,
    solution: bool = False,
    file: str | Path | None = None,
    solutions: str | Path | None = None,
    device: str = "auto",
    seed: int | None = None,
    timeout: float | None = None,
) -> CheckReport:
    """Check puzzles, as `tritonpuzzles check` does, and return the report: `passed`, `findings`, `to_dict()`.

    Args:
        puzzles: numbers, ranges such as `"0-8"`, slugs, or `"all"`; none means the next unsolved puzzle.
        solution: check the shipped solution instead of the learner's file.
        file: check this file instead; for one puzzle.
        solutions: check the files of this folder instead.
        device: "auto" (the CPU and, where there is one, the GPU), "cpu" or "cuda".
        seed: of shapes and inputs; drawn anew when `None`.
        timeout: seconds for each stage.

    Raises:
        FrontError: for an unknown puzzle, a missing folder, or sources that exclude each other.
    """
    from tritonpuzzles.front.check import checked
    from tritonpuzzles.front.grading import Request, Source, grade
    from tritonpuzzles.front.workspace.packs import open_for
    from tritonpuzzles.judge.options import CheckOptions

    open_for(None)
    source = Source.of(solution=solution, file=file, folder=solutions)
    options = CheckOptions(device=device, seed=seed, timeout=timeout)
    return checked(grade(Request(tuple(str(name) for name in puzzles), source, options)))
