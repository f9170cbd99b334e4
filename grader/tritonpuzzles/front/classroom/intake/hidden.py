"""An instructor's hidden cases: a file beside `class.toml` with cases as records have them, under a puzzle's name.

[[online_softmax.cases]]
name = "few rows, each of a prime length"
why = "A tile that no power of two fills."
family = "late_maximum"
shape = ["between(2, 5)", "prime(5000, 7000)"]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tritonpuzzles.curriculum.reading import with_hidden_cases
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import Curriculum, UnknownPuzzleError
from tritonpuzzles.curriculum.tables import RECORDS, RecordError, read_toml, refused
from tritonpuzzles.decoding.marks import DecodeError


@dataclass(frozen=True)
class _Table:
    cases: list[dict[str, Any]]


def with_hidden(curriculum: Curriculum, path: Path) -> dict[int, Puzzle]:
    """Return by number the puzzles that a file has cases for, with these.

    Raises:
        RecordError: if it cannot be read, names a puzzle that is not there or twice, or has a case that does not fit.
    """
    found: dict[int, Puzzle] = {}
    data = read_toml(path)
    for name, table in data.items():
        try:
            puzzle = curriculum.find(name)
            cases = RECORDS.read(_Table, table).cases
        except UnknownPuzzleError as error:
            raise RecordError(f"{path.name}: {error}") from error
        except DecodeError as error:
            raise refused(path.name, data, error.within(name)) from error
        if puzzle.number in found:
            raise RecordError(f"{path.name}: puzzle {puzzle.number} stands there under two names; take one")
        found[puzzle.number] = with_hidden_cases(puzzle, cases, path.name)
    return found
