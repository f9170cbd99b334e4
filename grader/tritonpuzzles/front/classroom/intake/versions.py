"""Of several files of a student for one puzzle: which one counts, and why, for a note that names them all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from tritonpuzzles.front.classroom.intake.naming import PYTHON, ending, without_copy
from tritonpuzzles.front.classroom.submitted import Submitted
from tritonpuzzles.results.words import listed, plural

MOST_NAMED = 3  # files that do not count
REASONS = (  # in the order of `Version.rank`
    "the others are stubs",
    "it was handed in later",
    "it was handed in later",
    "it is newer",
    "its name has the higher number",
    f"a {PYTHON} file counts before a notebook",
    "its name comes last",
)


@dataclass(frozen=True)
class Version:
    """One file for a puzzle.

    Attributes:
        is_stub: whether it is as it was shipped: it never counts before one that was edited.
        order: that the system which collected it gives; the higher was handed in later.
        changed: when, where that says which of two is newer.
        name: as the student called it.
    """

    submitted: Submitted
    is_stub: bool
    order: int
    changed: datetime | None
    name: str

    @property
    def rank(self) -> tuple[Any, ...]:
        """What decides: the first in which two differ, and the higher counts."""
        return (
            not self.is_stub,
            _seconds(self.submitted.handed_in),
            self.order,
            _seconds(self.changed),
            without_copy(self.name)[1],
            ending(self.name) == PYTHON,
            self.submitted.shown,
        )


def counting(versions: Sequence[Version]) -> Submitted:
    """Return the file that counts; a note names the others, but for stubs that nobody has edited."""
    best = max(versions, key=lambda version: version.rank)
    others = [one for one in versions if one is not best and (not one.is_stub or best.is_stub)]
    if not others or best.is_stub:
        return best.submitted
    second = max(others, key=lambda version: version.rank)
    differs = next(n for n, (mine, other) in enumerate(zip(best.rank, second.rank, strict=True)) if mine != other)
    names = [one.submitted.shown for one in others[:MOST_NAMED]]
    if len(others) > MOST_NAMED:
        names.append(plural(len(others) - MOST_NAMED, "other"))
    number, shown = best.submitted.puzzle.number, best.submitted.shown
    note = f"For puzzle {number} {shown} counts and not {listed(names)}: {REASONS[differs]}."
    return replace(best.submitted, notes=(*best.submitted.notes, note))


def _seconds(time: datetime | None) -> float:
    return time.timestamp() if time is not None else 0.0
