"""Which files of a class a run grades: those of its shard that nobody has graded yet, each text once."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tritonpuzzles.front.classroom.grading.boiled import handed_in_by
from tritonpuzzles.front.classroom.grading.keys import Keys
from tritonpuzzles.front.classroom.grading.looks import reaching
from tritonpuzzles.front.classroom.outcome import Outcome
from tritonpuzzles.front.classroom.submitted import Submitted
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.notebook.submitted import ENDING, MAX_BYTES, submission
from tritonpuzzles.results.submission import MAX_SOURCE_BYTES
from tritonpuzzles.sandbox import read_regular


@dataclass(frozen=True)
class Shard:
    """One of several parts of a class, for as many machines; a file is always in the same one.

    Attributes:
        number: from 1.
        of: how many there are.
    """

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
    """One file of a class, read.

    Attributes:
        sha256: of the bytes that were handed in.
        data: what is graded: the file, or a notebook's cell; `None` where that cannot be read.
        unreadable: why not, if the reading of a notebook says so.
    """

    submitted: Submitted
    key: str
    sha256: str
    data: bytes | None
    unreadable: FrontError | None = None

    @property
    def place(self) -> tuple[str, str]:
        """Student and slug: each has at most one file for a puzzle."""
        return self.submitted.student, self.submitted.puzzle.slug

    @property
    def flags(self) -> tuple[tuple[str, str], ...]:
        """What an instructor may want to look at in its text."""
        return reaching(self.data or b"")


def pieces(files: Sequence[Submitted], keys: Keys, shard: Shard) -> list[Piece]:
    """Read the files of a shard, those of one puzzle in a row."""
    mine = sorted(filter(shard.has, files), key=lambda one: one.puzzle.number)
    return [_piece(submitted, keys) for submitted in mine]


def _piece(submitted: Submitted, keys: Keys) -> Piece:
    handed_in = read_whole(submitted.file)
    data, unreadable = handed_in, None
    if submitted.file.suffix == ENDING:
        try:
            data = read_whole(submission(submitted.file, submitted.puzzle).opened)
        except FrontError as error:
            data, unreadable = None, error
    sha256 = sha256_of(handed_in)
    enough = None if data is None else data[: MAX_SOURCE_BYTES + 1]  # of one that is too large as much as shows that
    return Piece(submitted, keys.of(submitted.puzzle, sha256), sha256, enough, unreadable)


def read_whole(path: Path) -> bytes | None:
    """Return what a file holds; nothing where it cannot be read, or is larger than any notebook."""
    try:
        return read_regular(path, MAX_BYTES)
    except OSError:
        return None


def sha256_of(data: bytes | None) -> str:
    """Return the hash of a file's bytes; of one that cannot be read, that of nothing."""
    return hashlib.sha256(data or b"").hexdigest()


def known(found: Sequence[Piece], outcomes: Sequence[Outcome]) -> dict[str, Outcome]:
    """Return by key what is known already of the texts of some files."""
    keys = {piece.key for piece in found}
    return {outcome.key: outcome for outcome in outcomes if outcome.key in keys}


def by_key(found: Sequence[Piece], there: Mapping[str, Outcome]) -> list[list[Piece]]:
    """Return the files that are left to be graded, those with the same text and puzzle together."""
    groups: dict[str, list[Piece]] = {}
    for piece in found:
        if piece.key not in there:
            groups.setdefault(piece.key, []).append(piece)
    return [*groups.values()]


def outcome_for(piece: Piece, outcome: Outcome) -> Outcome:
    """Return an outcome of the same text as this file's."""
    return handed_in_by(piece.submitted, outcome)
