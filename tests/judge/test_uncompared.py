"""Calls whose results nobody can compute must do what calls with values do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.judge.evidence.cases import CaseEvidence, Evidence
from tritonpuzzles.judge.inputs import draw
from tritonpuzzles.judge.verdict.alternatives import uncompared_findings
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.results.traffic import LineTraffic
from tritonpuzzles.wire.observed import LaunchSummary

PUZZLE = load_curriculum().find("1")
SMALL, LARGE = "ordinary numbers", "more than 2^31 elements"
CHOICES = {"softmax_kernel": "text 1", "x_ptr": "a tensor", "BLOCK_SIZE": "1024", "WIDE": "False"}


def told(choices: dict[str, str] = CHOICES, line: int = 27) -> CaseEvidence:
    """Return what is told of a case with one launch."""
    launch = LaunchSummary("softmax_kernel", 40, (9, 1, 1), 9, 1024, {}, choices=choices)
    return CaseEvidence(launches=[launch], lines=[LineTraffic("p01.py", line, "x_ptr", 4, 0, 0)])


def said(large: CaseEvidence, others: dict[tuple[int, int], CaseEvidence] | None = None) -> list[str]:
    """Return what is found where a small case launches `told()` and the large one something else."""
    named = [case for name in (SMALL, LARGE) for case in PUZZLE.cases if case.name == name]
    cases = draw(replace(PUZZLE, cases=tuple(named), benchmark=None), 1, "cpu", phantoms=True)
    trial = Trial(PUZZLE, Submission.of(Path("p01.py")), "cpu", cases, None, lambda _: None)
    evidence = Evidence(cases={0: told(), 1: large}, others=others or {})
    found = list(uncompared_findings(trial, evidence))
    assert {(finding.code, finding.case) for finding in found} <= {("size-of-its-own", LARGE)}
    return [finding.message.partition(", and no case")[0] for finding in found]


def test_the_same_launch_is_right() -> None:
    assert said(told()) == []


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"softmax_kernel": "text 2"}, "softmax_kernel"),
        ({"WIDE": "True"}, "softmax_kernel with WIDE = True"),
        ({"BLOCK_SIZE": "2048"}, "softmax_kernel with BLOCK_SIZE = 2048"),
        ({"x_ptr": "None"}, "softmax_kernel with x_ptr = None"),
        ({"FLAG": "1"}, "softmax_kernel with FLAG = 1"),
    ],
)
def test_what_no_call_with_values_chooses_is_said(choices: dict[str, str], words: str) -> None:
    assert said(told({**CHOICES, **choices})) == [f'"{LARGE}" launches {words}']


@pytest.mark.parametrize("count", ["143467", "1729", str(1 << 30)])
def test_counts_and_strides_may_be_of_the_large_call_alone(count: str) -> None:
    assert said(told({**CHOICES, "n_rows": count})) == []


def test_a_line_that_no_call_with_values_runs_is_said() -> None:
    assert said(told(line=31)) == [f'"{LARGE}" loads or stores in line 31']


def test_what_an_autotuner_tries_counts() -> None:
    wide = told({**CHOICES, "BLOCK_SIZE": "2048"})
    assert said(wide, others={(0, 1): wide}) == []
