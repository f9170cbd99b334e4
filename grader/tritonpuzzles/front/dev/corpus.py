"""The corpus of a puzzle: kernels that are wrong as a learner's would be, each with its code, and right ones.

tests/mutants/<stem>/wrong/*.py    the docstring holds a line `Code: sum-not-rescaled`, and `Device: cuda` where
                                   only a GPU can show the mistake
tests/mutants/<stem>/right/*.py
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front.errors import FrontError


@dataclass(frozen=True)
class Mutant:
    """A wrong kernel.

    Attributes:
        path: the file.
        code: of the finding that must name it.
        devices: where it is wrong.
    """

    path: Path
    code: str
    devices: tuple[str, ...]

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return self.path.stem


@dataclass(frozen=True)
class Corpus:
    """The kernels of one puzzle."""

    wrong: tuple[Mutant, ...]
    right: tuple[Path, ...]


def read_corpus(folder: Path, puzzle: Puzzle, device: str) -> Corpus:
    """Return what there is for a puzzle on a device, in the order of the names.

    Raises:
        FrontError: if a wrong kernel does not say its code.
    """
    home = folder / puzzle.stem
    wrong = [_mutant(path) for path in sorted((home / "wrong").glob("*.py"))]
    return Corpus(
        tuple(mutant for mutant in wrong if device in mutant.devices), tuple(sorted((home / "right").glob("*.py")))
    )


def _mutant(path: Path) -> Mutant:
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    code = re.search(r"^Code: ([\w-]+)$", text, re.MULTILINE)
    if code is None:
        raise FrontError(f"{path} names no code.", "Write a line `Code: ...` into its docstring.")
    device = re.search(r"^Device: (cpu|cuda)$", text, re.MULTILINE)
    return Mutant(path, code[1], (device[1],) if device else ("cpu", "cuda"))
