"""Turn a worker's raw timings into rates, and doubt them where they cannot be true."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tritonpuzzles.curriculum.expressions import evaluate
from tritonpuzzles.curriculum.record import BenchmarkSpec
from tritonpuzzles.judge.compare import compare
from tritonpuzzles.judge.evidence import Evidence
from tritonpuzzles.judge.inputs import DrawnCase
from tritonpuzzles.judge.process import Worker
from tritonpuzzles.judge.tolerances import RULES
from tritonpuzzles.judge.trial import Trial
from tritonpuzzles.results import Benchmark, Finding, PuzzleResult, Severity, Timing, Verdict

LAUNCH_BOUND_MS = 0.020
COPY_CEILING = 0.9  # a copy reaches about this share of what the memory can do
SCALE = {"GB/s": 1e6, "TFLOP/s": 1e9}  # work per millisecond


def time_on_gpu(trial: Trial, worker: Worker, evidence: Evidence, result: PuzzleResult) -> PuzzleResult:
    """Time a kernel that is right on the largest GPU case, and add the benchmark to its result."""
    if trial.benchmark_case is None or trial.puzzle.benchmark is None:
        return result
    trial.measure(worker, evidence)
    if evidence.failure is not None:
        return replace(result, verdict=Verdict.ERROR, findings=(*result.findings, evidence.failure))
    failed = evidence.cases[trial.benchmark_case].failure
    if failed is not None or evidence.measured is None:
        finding = failed or Finding("timing-failed", "The timing gave no numbers.", Severity.WARNING)
        return replace(result, verdict=Verdict.ERROR, findings=(*result.findings, finding))
    drawn = trial.cases[trial.benchmark_case]
    again = compare(drawn, evidence.timed_outputs, RULES[trial.puzzle.tolerance](drawn), trial.device, trial.call)
    if again.result.verdict is not Verdict.PASS:
        text = f'"{drawn.name}" was right before it was timed and is wrong after; a result must not depend on that.'
        finding = Finding("wrong-when-timed", text, file=str(trial.path), case=drawn.name)
        return replace(result, verdict=Verdict.FAIL, findings=(*result.findings, *again.findings, finding))
    benchmark = read_benchmark(trial.puzzle.benchmark, drawn, evidence.measured)
    return replace(result, benchmark=benchmark, findings=(*result.findings, *doubts(benchmark)))


def read_benchmark(spec: BenchmarkSpec, drawn: DrawnCase, measured: dict[str, Any]) -> Benchmark:
    """Compute rates from a worker's timings.

    Raises:
        KeyError, TypeError, ValueError: if the timings are not of the expected form.
    """
    names = {**drawn.dims, "itemsize": drawn.dtype.itemsize}
    work, moved = evaluate(spec.work, names), evaluate(spec.moved, names)
    kernel = timing(measured["kernel"])
    scale = SCALE[spec.unit]
    copy = float(measured["copy_gb_per_s"])
    rate = work / kernel.median_ms / scale
    memory_bound = spec.unit == "GB/s"
    return Benchmark(
        device=str(measured["device"])[:80],
        shape=drawn.shape,
        dtype=drawn.case.dtype,
        kernel=kernel,
        unit=spec.unit,
        rate=rate,
        baselines={name: work / timing(measured["baselines"][name]).median_ms / scale for name in spec.baselines},
        copy_gb_per_s=copy,
        share_of_copy=rate / copy if memory_bound else None,
        share_of_limit=rate / (copy * work / moved) if memory_bound else None,
        labels=tuple(labels(kernel, moved, copy)),
    )


def timing(data: dict[str, Any]) -> Timing:
    """Read one set of timings; all must be positive."""
    found = Timing(
        median_ms=float(data["median_ms"]),
        low_ms=float(data["low_ms"]),
        high_ms=float(data["high_ms"]),
        best_ms=float(data["best_ms"]),
        samples=int(data["samples"]),
    )
    if not min(found.median_ms, found.low_ms, found.high_ms, found.best_ms) > 0:
        raise ValueError("a timing is not positive")
    return found


def labels(kernel: Timing, minimum_bytes: int, copy_gb_per_s: float) -> list[str]:
    """Return what a reader must know before believing a timing.

    Args:
        kernel: milliseconds of one call.
        minimum_bytes: that the call must move through DRAM at the least.
        copy_gb_per_s: measured in the same process.
    """
    found = []
    if kernel.median_ms < LAUNCH_BOUND_MS:
        found.append("launch-bound")
    if kernel.median_ms < minimum_bytes / (copy_gb_per_s / COPY_CEILING) / 1e6:
        found.append("suspicious")
    return found


def doubts(benchmark: Benchmark) -> list[Finding]:
    """Return a warning where a timing is faster than the memory allows."""
    if "suspicious" not in benchmark.labels:
        return []
    text = f"{benchmark.kernel.median_ms:.4f} ms is faster than the memory can move the puzzle's bytes; not counted."
    return [Finding("suspicious-timing", text, Severity.WARNING)]
