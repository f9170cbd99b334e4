"""Turn a worker's raw timings into rates, and mark those that cannot be true."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from tritonpuzzles.curriculum.expressions import evaluate
from tritonpuzzles.curriculum.limits import TRAFFIC, BenchmarkSpec
from tritonpuzzles.hardware.gpus import COPY_CEILING
from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.evidence.cases import Evidence, tampering
from tritonpuzzles.judge.evidence.fields import SENT, Positive
from tritonpuzzles.judge.verdict.one_case import compared
from tritonpuzzles.judge.workers.crew import Crew
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.check import Finding, PuzzleResult, Verdict
from tritonpuzzles.results.speed import Benchmark, Timing

LAUNCH_BOUND_MS = 0.020
MATMUL_CEILING = 0.9  # share of the arithmetic units' peak that a large matrix product reaches
TENSOR_CORES_FROM = (8, 0)  # for sm_75, a T4, Triton compiles puzzle 5's products to single multiply-adds
Alone = Callable[[], AbstractContextManager[None]]
SCALE = {"GB/s": 1e6, "TFLOP/s": 1e9}  # work per millisecond


def time_on_gpu(trial: Trial, crew: Crew, evidence: Evidence, result: PuzzleResult, alone: Alone) -> PuzzleResult:
    """Time a correct kernel on the largest GPU case, while `alone` on the GPU; add the benchmark to the result."""
    if trial.benchmark_case is None or trial.task.benchmark is None:
        return result

    def ended(verdict: Verdict, *findings: Finding, benchmark: Benchmark | None = None) -> PuzzleResult:
        return replace(result, verdict=verdict, findings=(*result.findings, *findings), benchmark=benchmark)

    if not trial.task.benchmark.memory_bound and (gpu := without_tensor_cores()) is not None:
        text = f"It is right on the {gpu[:80]}, and not timed there: this puzzle's speed is that of tensor cores, "
        text += "and Triton uses those from compute capability 8.0 on."
        return ended(result.verdict, Finding("not-timed-here", text))
    with alone():
        trial.measure(crew, evidence)
    failed = evidence.failure or evidence.cases[trial.benchmark_case].failure
    if failed is not None or evidence.measured is None:
        return ended(Verdict.ERROR, failed or Finding("timing-failed", "The timing gave no numbers."))
    drawn = trial.cases[trial.benchmark_case]
    _, again, _ = compared(trial, drawn, evidence.timed_outputs, evidence.timed_rows)
    if again.result.verdict is not Verdict.PASS:
        text = f'"{drawn.name}" was right before it was timed and is wrong after; a result must not depend on that.'
        finding = Finding("wrong-when-timed", text, file=str(trial.file), case=drawn.name)
        return ended(Verdict.FAIL, *again.findings, finding)
    try:
        benchmark = read_benchmark(trial.task.benchmark, drawn, evidence.measured, trial.yardsticks)
    except (KeyError, TypeError, ValueError) as error:
        return ended(Verdict.ERROR, tampering(trial.file, f"a timing: {error}"))
    return ended(result.verdict, *doubts(benchmark), benchmark=benchmark)


def without_tensor_cores() -> str | None:
    """Return the GPU's name if Triton does not use its tensor cores; `None` if it does, or there is no GPU."""
    import torch

    if not torch.cuda.is_available() or torch.version.hip is not None:
        return None
    return torch.cuda.get_device_name(0) if torch.cuda.get_device_capability(0) < TENSOR_CORES_FROM else None


def read_benchmark(
    spec: BenchmarkSpec, drawn: DrawnCase, measured: dict[str, Any], yardsticks: Benchmark | None = None
) -> Benchmark:
    """Compute rates from a worker's timings; those of PyTorch and a copy may be those of an earlier benchmark.

    Raises KeyError, TypeError or ValueError if the timings are not of the expected form.
    """
    names = {**drawn.dims, "itemsize": drawn.dtype.itemsize}
    work, moved = evaluate(spec.work, names), evaluate(spec.moved, names)
    kernel = timing(measured["kernel"])
    rate = rate_of(work, kernel, spec.unit)
    if yardsticks is not None:
        copy, matmul, baselines = yardsticks.copy_gb_per_s, yardsticks.matmul_tflop_per_s, yardsticks.baselines
    else:
        copy = positive(measured["copy_gb_per_s"])
        matmul = None if spec.memory_bound else positive(measured["matmul_tflop_per_s"])
        known = [base.name for base in spec.baselines if base.name in measured["baselines"]]
        timed = {name: timing(measured["baselines"][name]) for name in known}
        baselines = {name: rate_of(work, found, spec.unit) for name, found in timed.items()}
    limit = copy * work / moved if spec.memory_bound else None
    yardstick = limit if spec.stars.of == TRAFFIC else baselines.get(spec.stars.of)
    return Benchmark(
        device=str(measured["device"])[:80],
        shape=drawn.shape,
        dtype=drawn.case.dtype,
        kernel=kernel,
        unit=spec.unit,
        rate=rate,
        baselines=baselines,
        copy_gb_per_s=copy,
        share_of_copy=rate / copy if spec.memory_bound else None,
        share_of_limit=rate / limit if limit is not None else None,
        labels=tuple(labels(kernel, evaluate(spec.minimum, names), copy, None if matmul is None else rate / matmul)),
        matmul_tflop_per_s=matmul,
        yardstick=spec.stars.of,
        share_of_yardstick=rate / yardstick if yardstick is not None else None,
        stars_at=(spec.stars.two, spec.stars.three),
    )


def rate_of(work: int, found: Timing, unit: str) -> float:
    """Return a rate from the work of one call (bytes or operations) and its time."""
    return work / found.median_ms / SCALE[unit]


def timing(data: dict[str, Any]) -> Timing:
    """Read one set of timings; raises ValueError unless all are positive, finite, in order, of at least two samples."""
    found = SENT.read(Timing, data)
    if not 0 < found.best_ms <= found.low_ms <= found.median_ms <= found.high_ms or found.samples < 2:
        raise ValueError("a timing's quartiles are not positive and in order, of 2 samples or more")
    return found


def positive(value: Any) -> float:
    """Read a positive, finite number; raises ValueError for anything else."""
    return float(SENT.read(Positive, value))


def labels(kernel: Timing, minimum_bytes: int, copy_gb_per_s: float, share_of_matmul: float | None = None) -> list[str]:
    """Return labels that a reader must know before trusting a timing.

    `minimum_bytes` are the least that any kernel moves: fewer passes than the puzzle requires are not suspicious. If
    arithmetic decides the speed, `share_of_matmul` is the rate relative to a large matrix product.
    """
    found = []
    if kernel.median_ms < LAUNCH_BOUND_MS:
        found.append("launch-bound")
    too_few_bytes = kernel.median_ms < minimum_bytes / (copy_gb_per_s / COPY_CEILING) / 1e6
    if too_few_bytes or (share_of_matmul is not None and share_of_matmul > 1 / MATMUL_CEILING):
        found.append("suspicious")
    return found


def doubts(benchmark: Benchmark) -> list[Finding]:
    """Return a warning where a timing is faster than the hardware allows."""
    if "suspicious" not in benchmark.labels:
        return []
    text = f"{benchmark.kernel.median_ms:.4f} ms is faster than this GPU can do the puzzle's work; not counted."
    step = (
        "Close other programs that use the GPU, and check again: they slowed the measurement of the hardware's speed."
    )
    return [Finding("suspicious-timing", text, next_step=step)]


def stars(result: PuzzleResult) -> int:
    """Return a result's stars: one for a correct kernel, two and three for a trustworthy speed."""
    if not result.passed:
        return 0
    found = result.benchmark
    if found is None or found.labels or found.share_of_yardstick is None:
        return 1
    return 1 + sum(found.share_of_yardstick >= share for share in found.stars_at)
