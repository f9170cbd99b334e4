"""What is told first where a file does not come to its end."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.judge.test_at_once import case, evidence
from tritonpuzzles.judge.evidence.cases import Evidence
from tritonpuzzles.judge.verdict.decide import collect
from tritonpuzzles.judge.verdict.judged import JudgedCase
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.submission import Submission

FILE = Submission(Path("none.py"), Path("none.py"))
TRIAL: Any = SimpleNamespace(task=None, file=FILE)  # nothing else is asked of it


def order(failure: str, *found: str) -> list[str]:
    """Return the codes in the order in which they are told, for a run that ended so, and a case with these."""
    judged = JudgedCase(case(), evidence(1), findings=[Finding(code, "It is so.") for code in found])
    told = collect(TRIAL, Evidence(failure=Finding(failure, "It ended.")), [judged], lambda trial, judged: [])
    return [finding.code for finding in told]


def test_what_is_known_to_be_wrong_comes_before_the_time_that_it_takes() -> None:
    assert order("timeout", "written-twice") == ["written-twice", "timeout"]


@pytest.mark.parametrize(("failure", "found"), [("crash", ["written-twice"]), ("timeout", ["register-spills"])])
def test_else_the_end_comes_first(failure: str, found: list[str]) -> None:
    assert order(failure, *found) == [failure, *found]
