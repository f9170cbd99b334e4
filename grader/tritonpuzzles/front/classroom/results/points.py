"""Points: how the verdict and the time of a file determine a puzzle's points, with a sentence that explains them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from tritonpuzzles.front.classroom.model import Assigned, Late
from tritonpuzzles.results.check import Verdict
from tritonpuzzles.results.words import plural

MISSING, NOT_TAKEN, NOT_YET = "missing", "not taken", "not graded yet"  # statuses without a verdict
DAY = timedelta(days=1)
_UNKNOWN = {
    Verdict.INFRA_ERROR.value: "the grader failed, which says nothing about the file",
    Verdict.SKIP.value: "it needs hardware that the grading machine does not have",
    NOT_YET: "the run has not reached it",
}  # unknown points are no zero
_NOTHING = {
    MISSING: "missing",
    NOT_TAKEN: "the file could not be taken",
    Verdict.FAIL.value: "does not pass",
    Verdict.ERROR.value: "does not import, compile or end",
    Verdict.UNSOLVED.value: "nothing is written yet",
}


@dataclass(frozen=True)
class Lateness:
    """How late a file is."""

    days: int = 0  # days begun after the due date; 0 on time
    note: str = ""  # one sentence, if the lateness does not follow from the file's time alone


@dataclass(frozen=True)
class Score:
    """What a student gets for one puzzle."""

    status: str  # a verdict's value, or `MISSING`, `NOT_TAKEN` or `NOT_YET`
    points: float | None  # `None` if not known yet: never a zero
    words: str  # how the points came about: "passes, 2 days late: 20 % off, 4 of 5 points"
    late: Lateness = Lateness()


def score(
    assigned: Assigned, late: Late, status: str, handed_in: datetime | None = None, is_late: bool = False
) -> Score:
    """Return what a student gets for a puzzle.

    The status is a verdict's value, or `MISSING`, `NOT_TAKEN`, `NOT_YET`. `handed_in` is `None` if unknown; `is_late`
    is what the system says that collected the file.
    """
    most = assigned.points
    lateness = Lateness() if status in (MISSING, NOT_TAKEN) else how_late(assigned.due, handed_in, is_late)
    if status in _UNKNOWN:
        return Score(status, None, f"not graded: {_UNKNOWN[status]}", lateness)
    if status != Verdict.PASS.value:
        return Score(status, 0.0, f"{_NOTHING[status]}: {_of(0.0, most)}", lateness)
    points, why = _after(lateness.days, most, late)
    return Score(status, points, f"passes{why}{_of(points, most)}", lateness)


def how_late(due: datetime | None, handed_in: datetime | None, is_late: bool) -> Lateness:
    """Return the days that had begun after the due date when a file was handed in.

    If a system marks a file as late, it counts as at least one day late: the system may know more than the file's time.
    """
    if due is None:
        return Lateness(0, "It was marked late, and class.toml has no due date for it." if is_late else "")
    if handed_in is None:
        return Lateness(1, "It was marked late without a time: this counts as 1 day.") if is_late else Lateness()
    days = max(0, ceil((handed_in.astimezone() - due.astimezone()) / DAY))
    if is_late and not days:
        return Lateness(1, "It was marked late, and its time is before the due date: this counts as 1 day.")
    return Lateness(days)


def number(value: float) -> str:
    """Return points as people write them: `4`, `4.5`, `0.33`."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _after(days: int, most: float, late: Late) -> tuple[float, str]:
    """Return the points left for a pass after some days, and the reason, up to the number."""
    if not days:
        return most, ": "
    begun = f", {plural(days, 'day')} late: "
    if days > late.days:
        return 0.0, f"{begun}nothing is given after {plural(late.days, 'day')}, "
    off = min(days * late.percent_a_day, 100.0)
    return round(most * (100.0 - off) / 100.0, 2), f"{begun}{number(off)} % off, "


def _of(points: float, most: float) -> str:
    return f"{number(points)} of {number(most)} {'point' if most == 1 else 'points'}"
