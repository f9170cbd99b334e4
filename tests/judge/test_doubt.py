"""A cause that NaN, infinities and zeros alone point to says so, unless a change of the file proves it."""

from __future__ import annotations

import pytest

from tritonpuzzles.judge.verdict.judged import DOUBT, IN_PART, UNPROVEN, with_doubt
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.cover import MENDED, PROOF


@pytest.mark.parametrize(
    ("code", "details", "doubted"),
    [
        ("sum-not-rescaled", {UNPROVEN: True}, True),
        ("sum-not-rescaled", {UNPROVEN: True, PROOF: MENDED}, False),
        ("sum-not-rescaled", {UNPROVEN: IN_PART}, False),
        ("sum-not-rescaled", {}, False),
        ("wrong-values", {UNPROVEN: True}, False),
    ],
)
def test_only_an_unproven_name_is_doubted(code: str, details: dict[str, object], doubted: bool) -> None:
    told = with_doubt(Finding(code, "It is so.", details=details))
    assert told.message == (f"It is so. {DOUBT}" if doubted else "It is so.")
