"""A case of millions of elements is judged, and no mistake is tried on it: that would take minutes."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.judge.evidence.cases import CaseEvidence
from tritonpuzzles.judge.evidence.fields import Output
from tritonpuzzles.judge.inputs import draw
from tritonpuzzles.judge.verdict import diagnosis
from tritonpuzzles.judge.verdict.one_case import judge_case
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.submission import Submission

PUZZLE = load_curriculum().puzzles[1]


@pytest.mark.parametrize(("name", "tried"), [("ordinary numbers", True), ("1823 x 781", False)])
def test_mistakes_are_tried_on_small_cases(name: str, tried: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    (drawn,) = (case for case in draw(PUZZLE, 1, "cpu") if case.name == name)
    data = torch.zeros(drawn.shape).numpy().tobytes()
    output = Output("Tensor", drawn.shape, "float32", "cpu", data)
    trial = Trial(PUZZLE, Submission.of(Path("p01.py")), "cpu", [drawn], None, lambda _: None)
    judged = judge_case(trial, drawn, CaseEvidence([output]))
    calls = []
    emulations = diagnosis._emulations
    monkeypatch.setattr(diagnosis, "_emulations", lambda *args: calls.append(args) or emulations(*args))
    (finding,) = diagnosis.diagnose(PUZZLE, [judged], trial.file)
    assert bool(calls) == tried
    assert drawn.name in finding.message
