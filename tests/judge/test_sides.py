"""Where the CPU engine and the GPU judge one file differently, the report says why; where they agree, nothing."""

from dataclasses import replace
from pathlib import Path

import pytest

from tritonpuzzles.judge.verdict.devices import LARGE_CASES, UNKNOWN_GPU, combine, disagreement
from tritonpuzzles.results.check import CaseResult, Finding, Predicted, PuzzleResult, Verdict
from tritonpuzzles.results.codes import Severity
from tritonpuzzles.results.speed import Benchmark, Timing
from tritonpuzzles.results.submission import Submission

FILE = Submission.of(Path("p03.py"))


def result(device: str, verdict: Verdict, *codes: str, cases: tuple[CaseResult, ...] = ()) -> PuzzleResult:
    findings = tuple(Finding(code, "A sentence.") for code in codes)
    return PuzzleResult(3, "online_softmax", FILE, verdict, device, 1, findings, cases)


def case(name: str, verdict: Verdict) -> CaseResult:
    return CaseResult(name, (3, 5), "float32", verdict)


@pytest.mark.parametrize(
    ("code", "words"),
    [("undefined-lane", "undefined"), ("too-many-loads", "counts"), ("written-twice", "order")],
)
def test_what_only_the_engine_sees(code: str, words: str) -> None:
    note = disagreement(result("cpu", Verdict.FAIL, "unknown", code), result("cuda", Verdict.PASS))
    assert note is not None
    assert (note.code, note.severity) == ("devices-disagree", Severity.NOTE)
    assert note.message.startswith("The GPU accepts this kernel")
    assert words in note.message


@pytest.mark.parametrize(
    ("code", "words"), [("race", "at once"), ("out-of-resources", "on chip"), ("int32-overflow", "such a large")]
)
def test_what_only_the_gpu_shows(code: str, words: str) -> None:
    note = disagreement(result("cpu", Verdict.PASS), result("cuda", Verdict.ERROR, code))
    assert note is not None
    assert note.message.startswith("The CPU engine accepts this kernel")
    assert words in note.message


@pytest.mark.parametrize(
    ("shared", "large", "words"),
    [(Verdict.PASS, Verdict.FAIL, LARGE_CASES), (Verdict.FAIL, Verdict.PASS, UNKNOWN_GPU)],
)
def test_wrong_values_on_the_gpu_alone(shared: Verdict, large: Verdict, words: str) -> None:
    cpu = result("cpu", Verdict.PASS, cases=(case("one row", Verdict.PASS),))
    gpu = result("cuda", Verdict.FAIL, "wrong-values", cases=(case("one row", shared), case("full size", large)))
    note = disagreement(cpu, gpu)
    assert note is not None
    assert words in note.message


@pytest.mark.parametrize(
    ("cpu", "gpu"),
    [(Verdict.PASS, Verdict.PASS), (Verdict.FAIL, Verdict.ERROR), (Verdict.PASS, Verdict.INFRA_ERROR)],
)
def test_nothing_is_said_of_agreement(cpu: Verdict, gpu: Verdict) -> None:
    assert disagreement(result("cpu", cpu, "wrong-values"), result("cuda", gpu, "wrong-values")) is None


def timed(rate: float, device: str = "NVIDIA H200") -> PuzzleResult:
    timing = Timing(0.2, 0.19, 0.21, 0.18, 60)
    found = Benchmark(device, (1024, 65536), "float32", timing, "GB/s", rate, {}, 4232.0)
    return replace(result("cuda", Verdict.PASS), benchmark=found)


def foretold(rate: float) -> PuzzleResult:
    found = Predicted("H200", (1024, 65536), "float32", "GB/s", 4320.0, microseconds=200.0, rate=rate, band=0.2)
    return replace(result("cpu", Verdict.PASS), predicted=found)


@pytest.mark.parametrize(("rate", "word"), [(2000.0, "slower"), (3600.0, "faster")])
def test_a_clock_that_is_beyond_the_band_of_the_prediction_is_a_note(rate: float, word: str) -> None:
    joined = combine([foretold(2700.0), timed(rate)])
    (note,) = joined.findings
    assert note.code == "prediction-off"
    assert f"{word} than the model explains" in note.message
    assert joined.predicted is not None
    assert joined.benchmark is not None


@pytest.mark.parametrize(("rate", "device"), [(2500.0, "NVIDIA H200"), (2000.0, "NVIDIA A100-SXM4-40GB")])
def test_a_clock_within_it_or_of_another_gpu_is_none(rate: float, device: str) -> None:
    assert combine([foretold(2700.0), timed(rate, device)]).findings == ()
