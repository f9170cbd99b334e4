"""Numbered Triton puzzles, from naive softmax to FlashAttention-2, and a grader that teaches.

Importing this module imports neither torch nor triton; a check does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from tritonpuzzles.front.check import CheckReport
    from tritonpuzzles.front.verifying import VerifyReport

__all__ = ["__version__", "check", "verify"]

__version__ = "0.1.0"


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Give a notebook the magics: `%load_ext tritonpuzzles`."""
    from tritonpuzzles.front.jupyter.magics import register

    register(shell)


def check(
    *puzzles: int | str,
    solution: bool = False,
    file: str | Path | None = None,
    solutions: str | Path | None = None,
    device: str = "auto",
    gpu: str | None = None,
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
        gpu: predict the speed on this GPU, "A100", or "none"; a workspace keeps it for later checks.
        seed: of shapes and inputs; a new random one when `None`.
        timeout: seconds for each stage.

    Raises:
        FrontError: for an unknown puzzle or GPU, a missing folder, or sources that exclude each other.
    """
    from tritonpuzzles.front.check import checked
    from tritonpuzzles.front.grading import Request, Source, grade
    from tritonpuzzles.front.options import gpu_meant, predicted_gpu
    from tritonpuzzles.front.workspace.folder import open_for
    from tritonpuzzles.judge.options import CheckOptions

    open_for(None)
    source = Source.of(solution=solution, file=file, folder=solutions)
    chosen = predicted_gpu(None if gpu is None else gpu_meant(gpu))
    options = CheckOptions(device=device, seed=seed, timeout=timeout, gpu=chosen)
    return checked(grade(Request(tuple(str(name) for name in puzzles), source, options)))


def verify(
    function: Callable[..., Any] | str,
    reference: Callable[..., Any] | str | None = None,
    cases: Any = (),
    *,
    tolerance: Any = "close",
    mutates: Sequence[str] = (),
    limits: Mapping[str, Any] | None = None,
    host: str = "record",
    vary: bool | Iterable[str] = True,
    device: str = "auto",
    seed: int | None = None,
    timeout: float | None = None,
) -> VerifyReport:
    """Check any Triton kernel through the function that launches it; the report is true if it passes.

    `assert report, report` in a test shows what is wrong, and at which line.

    Args:
        function: allocates outputs, launches kernels, returns tensors; or "file.py:name", which a separate process
            imports.
        reference: the same in PyTorch, called with the same arguments in float64. Without it only memory, races,
            undefined lanes, overflow, compilation and traffic are checked, not values.
        cases: arguments by name, `[dict(x=torch.randn(5, 700))]`, or tuples of them, or a function of seed and dtype.
        tolerance: "close", "exact" or another rule's name, a number, `dict(rtol=1e-3, atol=1e-5)`, or a rule.
        mutates: names of the arguments that the function changes.
        limits: as in a puzzle's record: `dict(loads={"x": 1}, stores={"out": 1})`, multiples of a tensor's size.
        host: "record": the function only allocates, reshapes and launches; "eager": PyTorch may compute in it.
        vary: whether to try what a person would forget, too; or which of it: {"layouts", "sizes"}.
        device: "auto" (the CPU and, where there is one, the GPU), "cpu" or "cuda".
        seed: of the drawn inputs; a new random one when `None`.
        timeout: seconds for each stage.

    Raises:
        FrontError: if the arguments do not make sense.
    """
    from tritonpuzzles.front.verifying import verified
    from tritonpuzzles.judge.options import CheckOptions

    options = CheckOptions(device=device, seed=seed, timeout=timeout)
    return verified(
        function, reference, cases, tolerance=tolerance, mutates=mutates, limits=limits, host=host, vary=vary,
        options=options,
    )  # fmt: skip
