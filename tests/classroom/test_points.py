"""Points follow from verdict, time and late rule; what nobody knows is never a zero."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.classroom.made_class import DUE, PUZZLES
from tritonpuzzles.front.classroom.model import Assigned, Late
from tritonpuzzles.front.classroom.results.points import MISSING, NOT_TAKEN, NOT_YET, Score, how_late, number, score
from tritonpuzzles.results.check import Verdict

FIVE = Assigned(PUZZLES[3], 5.0, DUE)
LATE = Late(percent_a_day=20.0, days=3)


def scored(status: str = "pass", after: timedelta | None = None, is_late: bool = False, late: Late = LATE) -> Score:
    return score(FIVE, late, status, None if after is None else DUE + after, is_late)


@pytest.mark.parametrize(
    ("after", "points", "words"),
    [
        (timedelta(0), 5.0, "passes: 5 of 5 points"),
        (timedelta(seconds=1), 4.0, "passes, 1 day late: 20 % off, 4 of 5 points"),
        (timedelta(days=1), 4.0, "passes, 1 day late: 20 % off, 4 of 5 points"),
        (timedelta(days=1, seconds=1), 3.0, "passes, 2 days late: 40 % off, 3 of 5 points"),
        (timedelta(days=3), 2.0, "passes, 3 days late: 60 % off, 2 of 5 points"),
        (timedelta(days=3, hours=1), 0.0, "passes, 4 days late: nothing is given after 3 days, 0 of 5 points"),
    ],
)
def test_each_day_that_has_begun_costs(after: timedelta, points: float, words: str) -> None:
    found = scored(after=after)
    assert (found.points, found.words) == (points, words)


def test_a_time_counts_in_whichever_zone_it_is_written() -> None:
    elsewhere = (DUE + timedelta(minutes=-1)).astimezone(timezone(timedelta(hours=14)))
    assert how_late(DUE, elsewhere, False).days == 0
    assert how_late(DUE, elsewhere + timedelta(minutes=2), False).days == 1


@pytest.mark.parametrize("status", [Verdict.INFRA_ERROR.value, Verdict.SKIP.value, NOT_YET])
def test_what_nobody_knows_is_no_zero(status: str) -> None:
    found = scored(status, timedelta(days=9))
    assert found.points is None
    assert found.words.startswith("not graded: ")


@pytest.mark.parametrize(
    ("status", "word"),
    [(MISSING, "missing"), (NOT_TAKEN, "not be taken"), ("fail", "does not pass"), ("error", "compile"),
     ("unsolved", "nothing is written")],
)  # fmt: skip
def test_what_does_not_pass_has_zero_points_and_a_word(status: str, word: str) -> None:
    found = scored(status, timedelta(days=1))
    assert found.points == 0.0
    assert word in found.words
    assert found.words.endswith("0 of 5 points")


def test_a_mark_without_a_time_counts_as_the_first_day_with_a_note() -> None:
    found = scored(is_late=True)
    assert (found.points, found.late.days) == (4.0, 1)
    assert found.late.note == "It was marked late without a time: this counts as 1 day."


def test_a_mark_outweighs_a_time_that_is_early() -> None:
    found = scored(after=timedelta(hours=-1), is_late=True)
    assert (found.points, found.late.days) == (4.0, 1)
    assert "before the due date" in found.late.note
    assert scored(after=timedelta(days=2), is_late=True).late.days == 2


def test_without_a_due_date_nothing_is_late() -> None:
    found = score(Assigned(PUZZLES[3]), LATE, "pass", datetime(2099, 1, 1, tzinfo=timezone.utc), True)
    assert (found.points, found.late.days, found.words) == (1.0, 0, "passes: 1 of 1 point")
    assert "no due date" in found.late.note


@given(
    hours=st.floats(-1e4, 1e4), most=st.floats(0, 1e4), percent=st.floats(0, 100), days=st.integers(0, 400),
    status=st.sampled_from([*(verdict.value for verdict in Verdict), MISSING, NOT_TAKEN, NOT_YET]),
)  # fmt: skip
def test_points_lie_between_nothing_and_all(hours: float, most: float, percent: float, days: int, status: str) -> None:
    found = score(Assigned(PUZZLES[0], most, DUE), Late(percent, days), status, DUE + timedelta(hours=hours))
    assert found.points is None or 0.0 <= found.points <= most + 0.005
    assert found.points in (None, 0.0) or status == "pass"
    later = score(Assigned(PUZZLES[0], most, DUE), Late(percent, days), status, DUE + timedelta(hours=hours + 24))
    assert found.points is None or later.points is None or later.points <= found.points + 0.005


def test_numbers_are_written_as_people_write_them() -> None:
    assert [number(value) for value in (5.0, 4.5, 1 / 3, 0.0, 100.0)] == ["5", "4.5", "0.33", "0", "100"]
