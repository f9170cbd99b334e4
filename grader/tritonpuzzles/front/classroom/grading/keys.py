"""By what a graded file is known again: everything that its result depends on, in one hash.

A file is graded again when it, its puzzle, the grader, PyTorch, Triton, the seed, the devices or the deadline is not
the same; not when pages, points or due dates change.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from pathlib import Path

import tritonpuzzles
from tritonpuzzles.curriculum.record import Puzzle

PACKAGE = Path(tritonpuzzles.__file__).parent
OURS = PACKAGE / "curriculum"  # whose modules belong to the grader
NOT_GRADING = frozenset({"front", "_workspace", "__pycache__"})  # folders of the package that no result depends on
NOT_OF_A_PACK = frozenset({"puzzles", "solutions", "mutants", "notebooks", "tests", "__pycache__"})
LIBRARIES = ("torch", "triton", "numpy")


@dataclass(frozen=True)
class Keys:
    """Makes the keys of one run.

    Attributes:
        seed: of shapes and numbers.
        deadline: seconds of each file.
        devices: that each is checked on.
    """

    seed: int
    deadline: float
    devices: tuple[str, ...]

    def of(self, puzzle: Puzzle, sha256: str) -> str:
        """Return the key of a file with these bytes, handed in for a puzzle."""
        hidden = [repr(case) for case in puzzle.cases if case.hidden]
        told = [sha256, puzzle.stem, _puzzle_hash(puzzle), hidden, *self._run]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()

    @cached_property
    def _run(self) -> list[object]:
        grader = _hash_of(PACKAGE, _files(PACKAGE, NOT_GRADING, {".py"}))
        return [tritonpuzzles.__version__, grader, _versions(), self.seed, self.deadline, list(self.devices)]


def _versions() -> list[str]:
    return [metadata.version(name) for name in LIBRARIES]


def _puzzle_hash(puzzle: Puzzle) -> str:
    """Return the hash of what a pack says of a puzzle: its record, its hints, and every module of a pack of its own."""
    folder = puzzle.folder
    said = [folder / "records" / f"{puzzle.stem}.toml", folder / "hints" / f"{puzzle.stem}.md"]
    modules = () if folder == OURS else _files(folder, NOT_OF_A_PACK, {".py"})
    return _hash_of(folder, [*(path for path in said if path.is_file()), *modules])


def _files(folder: Path, without: frozenset[str], endings: set[str]) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.is_dir() and path.name not in without and not path.name.startswith("."):
            yield from _files(path, without, endings)
        elif path.suffix in endings:
            yield path


def _hash_of(folder: Path, files: Iterable[Path]) -> str:
    """Return one hash of the names and bytes of some files."""
    found = hashlib.sha256()
    for path in files:
        data = path.read_bytes()
        found.update(f"{path.relative_to(folder).as_posix()}\0{len(data)}\0".encode())
        found.update(data)
    return found.hexdigest()
