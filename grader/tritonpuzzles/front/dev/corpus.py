"""The corpora of a puzzle: kernels that are wrong as a learner's would be, each with its code, and right ones.

tests/mutants/<stem>/wrong/*.py    the docstring holds a line `Code: sum-not-rescaled`
tests/mutants/<stem>/right/*.py
tests/real_style/<stem>/...        the same, as practitioners write and mistake them

A line `Code on cuda: ...` follows where the GPU shows another side of the mistake; `Device: cpu` or `Device: cuda`
stands where one of the two cannot show it at all: a GPU counts no bytes, the interpreter has no room for 2^31 elements.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

from tritonpuzzles.curriculum.pack import Pack
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front.errors import FrontError


@dataclass(frozen=True)
class Mutant:
    """A wrong kernel.

    Attributes:
        path: the file.
        code: of the finding that must name it, on the device that was asked for.
    """

    path: Path
    code: str

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return self.path.stem


@dataclass(frozen=True)
class Corpus:
    """The kernels of one puzzle."""

    wrong: tuple[Mutant, ...]
    right: tuple[Path, ...]


def corpora_of(pack: Pack, named: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return the folders with a pack's kernels: those that somebody names, else its own.

    Raises:
        FrontError: if one is not there.
    """
    home = Path() if pack.is_shipped else pack.folder
    corpora = named or tuple(home / name for name in pack.corpora)
    for corpus in corpora:
        if not corpus.is_dir():
            raise FrontError(f"There is no folder {corpus}.", "Run this in a clone, or give --corpus DIR.")
    return corpora


def read_corpus(folder: Path, puzzle: Puzzle, device: str) -> Corpus:
    """Return what there is for a puzzle on a device, in the order of the names.

    Raises:
        FrontError: if a wrong kernel does not say its code.
    """
    home = folder / puzzle.stem
    wrong = [_mutant(path, device) for path in sorted((home / "wrong").glob("*.py"))]
    return Corpus(tuple(filter(None, wrong)), tuple(sorted((home / "right").glob("*.py"))))


def _mutant(path: Path, device: str) -> Mutant | None:
    """Return a wrong kernel as its docstring describes it; nothing where this device cannot show the mistake."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    said: dict[str, str] = dict(re.findall(r"^(Code|Code on cuda|Device): ([\w-]+)$", text, re.MULTILINE))
    if "Code" not in said:
        raise FrontError(f"{path} names no code.", "Write a line `Code: ...` into its docstring.")
    if said.get("Device", device) != device:
        return None
    return Mutant(path, said[f"Code on {device}"] if f"Code on {device}" in said else said["Code"])
