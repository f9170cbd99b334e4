"""What becomes of a right kernel that is timed: no numbers, other numbers, numbers that cannot be read."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from tritonpuzzles.curriculum.limits import BenchmarkSpec
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front.report.predicted import star_sentence
from tritonpuzzles.judge.drawn import Expected
from tritonpuzzles.judge.evidence.cases import CaseEvidence, Evidence
from tritonpuzzles.judge.evidence.fields import Output
from tritonpuzzles.judge.inputs import draw
from tritonpuzzles.judge.verdict.compare import form_findings
from tritonpuzzles.judge.verdict.speed import time_on_gpu
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.check import PuzzleResult, Verdict
from tritonpuzzles.results.submission import Submission

TIMES = {"best_ms": 1.0, "low_ms": 1.0, "median_ms": 1.0, "high_ms": 1.0, "samples": 50}
MEASURED = {"kernel": TIMES, "copy_gb_per_s": 4000.0, "matmul_tflop_per_s": None, "baselines": {}, "device": "GPU"}


def timed(square: Puzzle, measured: dict[str, Any] | None, factor: float, unit: str = "GB/s") -> PuzzleResult:
    """Return what is made of a worker that tells `measured` and an output `factor` times too large."""
    spec = BenchmarkSpec("ordinary numbers", unit, "2 * n * itemsize", "2 * n * itemsize")
    puzzle = replace(square, benchmark=spec)
    cases = draw(puzzle, 1, "cuda")

    class Told(Trial):
        def measure(self, worker: Any, evidence: Evidence) -> None:
            golden = (cases[0].golden[0] * factor).float()
            data = golden.numpy().tobytes()
            evidence.measured = measured
            evidence.timed_outputs = [Output("Tensor", tuple(golden.shape), "float32", "cuda:0", data)]

    trial = Told(puzzle, Submission.of(Path("p01.py")), "cuda", cases, None, lambda _: None)
    evidence = Evidence(cases={index: CaseEvidence() for index in range(len(cases))})
    result = PuzzleResult(1, "square", Submission.of(Path("p01.py")), Verdict.PASS, "cuda", 1)
    return time_on_gpu(trial, None, evidence, result, nullcontext)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("measured", "factor", "verdict", "code"),
    [
        (MEASURED, 1.0, Verdict.PASS, "suspicious-timing"),
        (None, 1.0, Verdict.ERROR, "timing-failed"),
        (MEASURED, 1.01, Verdict.FAIL, "wrong-when-timed"),
        ({**MEASURED, "copy_gb_per_s": float("nan")}, 1.0, Verdict.ERROR, "tampering"),
    ],
)
def test_a_timing_is_believed_only_with_the_right_result(
    square: Puzzle, measured: dict[str, Any] | None, factor: float, verdict: Verdict, code: str
) -> None:
    quick = measured and {**measured, "kernel": {**TIMES, **dict.fromkeys(("best_ms", "low_ms", "median_ms"), 1e-9)}}
    found = timed(square, quick, factor)
    assert (found.verdict, [finding.code for finding in found.findings]) == (verdict, [code])


@pytest.mark.parametrize(
    ("unit", "capability", "codes"),
    [
        ("TFLOP/s", (7, 5), ["not-timed-here"]),
        ("TFLOP/s", (8, 0), ["timing-failed"]),
        ("GB/s", (7, 5), ["timing-failed"]),
    ],
)
def test_without_tensor_cores_what_needs_them_is_graded_for_correctness_only(
    square: Puzzle, monkeypatch: pytest.MonkeyPatch, unit: str, capability: tuple[int, int], codes: list[str]
) -> None:
    """A T4 has compute capability 7.5; nothing is timed there that tensor cores decide, and nothing fails."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda _: "Tesla T4")
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda _: capability)
    found = timed(square, None, 1.0, unit)
    assert [finding.code for finding in found.findings] == codes
    if codes == ["not-timed-here"]:
        assert found.verdict is Verdict.PASS
        assert found.benchmark is None
        assert "Tesla T4" in found.findings[0].message
        assert "on a newer GPU" in star_sentence(replace(found, stars=1))


def test_an_output_on_another_device_is_named() -> None:
    (found,) = form_findings(
        [Output("Tensor", (3,), "float32", "cpu")], [Expected("y", (3,), "float32")], "float32", "cuda", "f(x)"
    )
    assert (found.code, found.message) == ("wrong-device", "f(x) returns y on cpu; the inputs are on cuda.")
