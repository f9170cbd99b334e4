"""Which files of a class a run grades: those of its shard that are not graded yet, each distinct text once.

A file is identified by a hash of everything that its result depends on. It is graded again when it, its puzzle, the
grader, PyTorch, Triton, NumPy, the seed, the devices or the deadline changes, not when points or due dates change.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from pathlib import Path

import tritonpuzzles
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front.classroom.model import Outcome, Submitted
from tritonpuzzles.front.notebook.submitted import MAX_BYTES
from tritonpuzzles.results.submission import MAX_SOURCE_BYTES
from tritonpuzzles.sandbox import read_regular

PACKAGE = Path(tritonpuzzles.__file__).parent
OURS = PACKAGE / "curriculum"  # whose modules belong to the grader
NOT_GRADING = frozenset({"front", "_workspace", "__pycache__"})  # folders of the package that no result depends on
NOT_OF_A_PACK = frozenset({"puzzles", "solutions", "mutants", "notebooks", "tests", "__pycache__"})
LIBRARIES = ("torch", "triton", "numpy")


@dataclass(frozen=True)
class Shard:
    """One of several parts of a class, counted from 1, for as many machines; a file is always in the same one."""

    number: int = 1
    of: int = 1

    @classmethod
    def named(cls, text: str) -> Shard:
        """Read `2/8`.

        Raises:
            ValueError: for anything else.
        """
        found = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
        number, of = (int(found[1]), int(found[2])) if found else (0, 0)
        if not 1 <= number <= of:
            raise ValueError(f"{text!r} is no part of a class; 1/8 is the first of eight")
        return cls(number, of)

    @property
    def file(self) -> str:
        """Name of the file with its results."""
        return "results.jsonl" if self.of == 1 else f"results-{self.number}-of-{self.of}.jsonl"

    def has(self, submitted: Submitted) -> bool:
        """Return whether a file belongs to it; nothing of that depends on the other files."""
        name = f"{submitted.student}\0{submitted.puzzle.slug}".encode("utf-8", "surrogateescape")
        return int.from_bytes(hashlib.sha256(name).digest()[:8], "big") % self.of == self.number - 1


WHOLE = Shard()


@dataclass(frozen=True)
class Piece:
    """One file of a class, read."""

    submitted: Submitted
    key: str
    sha256: str  # of the bytes that were handed in
    data: bytes | None  # what is graded; `None` where it cannot be read

    @property
    def place(self) -> tuple[str, str]:
        """Student and slug: each has at most one file for a puzzle."""
        return self.submitted.student, self.submitted.puzzle.slug


def pieces(files: Sequence[Submitted], keys: Keys, shard: Shard) -> list[Piece]:
    """Read the files of a shard, those of one puzzle in a row."""
    mine = sorted(filter(shard.has, files), key=lambda one: one.puzzle.number)
    return [_piece(submitted, keys) for submitted in mine]


def _piece(submitted: Submitted, keys: Keys) -> Piece:
    data = read_whole(submitted.file)
    sha256 = sha256_of(data)
    enough = None if data is None else data[: MAX_SOURCE_BYTES + 1]  # of a file that is too large, enough to show that
    return Piece(submitted, keys.of(submitted.puzzle, sha256), sha256, enough)


def read_whole(path: Path) -> bytes | None:
    """Return a file's bytes; `None` if it cannot be read, or is larger than any notebook may be."""
    try:
        return read_regular(path, MAX_BYTES)
    except OSError:
        return None


def sha256_of(data: bytes | None) -> str:
    """Return the hash of a file's bytes; for a file that cannot be read, the hash of no bytes."""
    return hashlib.sha256(data or b"").hexdigest()


def by_key(found: Sequence[Piece], there: Mapping[str, Outcome]) -> list[list[Piece]]:
    """Return the files that are left to be graded, those with the same text and puzzle together."""
    groups: dict[str, list[Piece]] = {}
    for piece in found:
        if piece.key not in there:
            groups.setdefault(piece.key, []).append(piece)
    return [*groups.values()]


@dataclass(frozen=True)
class Keys:
    """Makes the keys of one run, with the seconds that each file has and the devices that it is checked on."""

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
        grader, versions = _hash_of(PACKAGE, _modules(PACKAGE, NOT_GRADING)), [*map(metadata.version, LIBRARIES)]
        return [tritonpuzzles.__version__, grader, versions, self.seed, self.deadline, list(self.devices)]


def _puzzle_hash(puzzle: Puzzle) -> str:
    """Return the hash of a puzzle's files in its pack: its record, its hints, and every module of a user's pack."""
    folder = puzzle.folder
    said = [folder / "records" / f"{puzzle.stem}.toml", folder / "hints" / f"{puzzle.stem}.md"]
    modules = () if folder == OURS else _modules(folder, NOT_OF_A_PACK)
    return _hash_of(folder, [*(path for path in said if path.is_file()), *modules])


def _modules(folder: Path, without: frozenset[str]) -> Iterator[Path]:
    return (path for path in files_below(folder, without) if path.suffix == ".py")


def files_below(folder: Path, without: frozenset[str]) -> Iterator[Path]:
    """Yield all files in a folder, in the order of their names, without those in hidden folders and some others."""
    for path in sorted(folder.iterdir()):
        if path.is_dir() and path.name not in without and not path.name.startswith("."):
            yield from files_below(path, without)
        elif path.is_file():
            yield path


def _hash_of(folder: Path, files: Iterable[Path]) -> str:
    """Return one hash of the names and bytes of some files."""
    found = hashlib.sha256()
    for path in files:
        data = path.read_bytes()
        found.update(f"{path.relative_to(folder).as_posix()}\0{len(data)}\0".encode())
        found.update(data)
    return found.hexdigest()


@dataclass(frozen=True)
class How:
    """How a class is graded; what its settings do not say."""

    device: str = "auto"  # "cpu", "cuda" or "auto"
    jobs: int = 1  # how many files are checked at once
    shard: Shard = WHOLE  # the part of the class to grade
    unconfined: bool = False  # whether to grade even if no sandbox isolates the files
    again: bool = False  # whether to grade files again that have been graded
