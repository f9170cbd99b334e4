"""How much a named mistake is said to explain: counted cases, no share."""

from __future__ import annotations

import pytest

from tritonpuzzles.judge.verdict.diagnosis import most_values


@pytest.mark.parametrize(
    ("share", "tried", "wrong", "said"),
    [
        (19 / 23, 23, 23, "the wrong values in 19 of 23 cases"),
        (9 / 11, 11, 12, "the wrong values in 9 of the 11 cases that it is tried on"),
    ],
)
def test_cases_are_counted(share: float, tried: int, wrong: int, said: str) -> None:
    assert most_values(share, tried, wrong) == said
