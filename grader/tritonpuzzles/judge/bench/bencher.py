"""Run benches: count bytes on the CPU, time PyTorch and a copy, then each file in a process of its own.

PyTorch and the copy are timed in a process that never saw a submission, so that no file can slow its rivals down.
While a worker times, the judge and every other worker wait: they use the same GPU.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

import torch

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.hardware.l2 import L2
from tritonpuzzles.judge.bench import BenchOptions, Entrant
from tritonpuzzles.judge.bench.dialogue import Dialogue, TimingFailedError
from tritonpuzzles.judge.bench.ledger import Counted, count
from tritonpuzzles.judge.bench.plan import Plan, draw_sample, form_finding, plan_bench, value_finding
from tritonpuzzles.judge.environment import environment
from tritonpuzzles.judge.options import Progress, cache_of, seed_of
from tritonpuzzles.judge.resolve import own_of
from tritonpuzzles.judge.verdict.speed import labels, rate_of
from tritonpuzzles.judge.workers.crew import Crew, Kept, Start, engine
from tritonpuzzles.judge.workers.job import own_l2
from tritonpuzzles.judge.workers.process import Worker
from tritonpuzzles.results.bench import Bench, Contender, Speed
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.codes import Severity
from tritonpuzzles.results.speed import Timing

MOST_DRIFT = 0.05


@dataclass(frozen=True)
class Rivals:
    """Timings of PyTorch, a copy and a matmul, measured once for all plans with the same `baseline_key`."""

    copy_gb_per_s: float  # and matmul_tflop_per_s: the GPU's limits, measured
    matmul_tflop_per_s: float | None
    copies: tuple[float | None, ...]  # GB/s, one per point; `None` where the operations are counted, not the bytes
    timings: dict[str, tuple[Timing | None, ...]]  # baseline -> one per point, `None` where it does not run


class Bencher:
    """Runs benches, one after the other."""

    def __init__(
        self,
        options: BenchOptions,  # sizes, dtype, seed, timeout
        progress: Progress = lambda _: None,  # takes short sentences about what is being done
        cache: Path | None = None,  # folder for compiled kernels; Triton's default if `None`
        device: str = "cuda",  # the device that is timed
        start: Start = Worker,  # starts a process: part, device
    ) -> None:
        self._options, self._progress, self._cache = options, progress, cache
        self._device, self._start = torch.device(device), start
        self._seed = seed_of(options.seed)
        self._rivals: dict[tuple[object, ...], Rivals] = {}

    def bench(self, puzzle: Puzzle, entrants: Sequence[Entrant], needed: str | None = None) -> Bench:
        """Time files over the sizes of a puzzle; if the entrant named `needed` is refused, time nothing.

        Raises NoBenchError if the puzzle cannot be timed as asked, WorkerBrokenError if the grader does not work here.
        """
        free = int(torch.cuda.mem_get_info()[0]) if self._device.type == "cuda" else None
        plan = plan_bench(puzzle, self._options, self._seed, free)
        counted = {entrant.name: self._count(plan, entrant) for entrant in entrants}
        if needed is not None and counted[needed].refusal is not None:
            return self._conclude(plan, None, [refused(entrant, counted[entrant.name], plan) for entrant in entrants])
        if plan.baseline_key not in self._rivals:
            self._rivals[plan.baseline_key] = self._time_rivals(plan)
        rivals = self._rivals[plan.baseline_key]
        points = zip(plan.points, rivals.copies, strict=True)
        plan = replace(plan, points=tuple(replace(point, copy_gb_per_s=copy) for point, copy in points))
        contenders = [self._contender(plan, entrant, counted[entrant.name], rivals) for entrant in entrants]
        return self._conclude(plan, rivals, [*contenders, *baselines(plan, rivals)])

    @cached_property
    def _l2(self) -> L2 | None:
        """The L2 cache of the GPU that is timed."""
        return own_l2() if self._device.type == "cuda" else None

    def _say(self, plan: Plan, who: str, index: int) -> None:
        where = f"{plan.bench.axis} = {plan.points[index].size:,} ({index + 1} of {len(plan.points)})"
        self._progress(f"{plan.puzzle.label}, {who}: {where}")

    def _count(self, plan: Plan, entrant: Entrant) -> Counted:
        self._progress(f"{plan.puzzle.label}, {entrant.name}: counting bytes on the CPU")
        crews = partial(Crew, "cpu", self._cache, self._start)
        return count(plan, entrant, crews, self._options.timeout, self._l2)

    def _time_rivals(self, plan: Plan) -> Rivals:
        own = own_of(plan.puzzle, "cuda")
        with closing(engine(self._start, "cuda", Kept(cache_of(self._cache)), own)) as alone:
            talk = Dialogue(alone, plan.job(None), self._options.timeout)
            before, matmul = talk.load()
            told = []
            for index in range(len(plan.points)):
                self._say(plan, "PyTorch and a copy", index)
                told.append(talk.baselines(index))
            timings = {base.name: tuple(timed.get(base.name) for _, timed in told) for base in plan.spec.baselines}
            return Rivals((before + talk.end()) / 2, matmul, tuple(copy for copy, _ in told), timings)

    def _contender(self, plan: Plan, entrant: Entrant, counted: Counted, rivals: Rivals) -> Contender:
        if counted.refusal is not None:
            return refused(entrant, counted, plan)
        speeds: list[Speed] = []
        drift: float | None = None
        while len(speeds) < len(plan.points):  # a lost process costs one size, not the sizes after it
            done, drift = self._run(plan, entrant, rivals, counted, len(speeds))
            speeds += done
        return Contender(entrant.name, str(entrant.file), tuple(speeds), drift)

    def _run(
        self, plan: Plan, entrant: Entrant, rivals: Rivals, counted: Counted, first: int
    ) -> tuple[list[Speed], float | None]:
        """Time a file in a new process, from point `first` to the end or to the point at which the process is lost."""
        speeds: list[Speed] = []
        points = range(first, len(plan.points))
        with Crew("cuda", self._cache, self._start, own=own_of(plan.puzzle, "cuda")) as crew:
            job = plan.job(str(entrant.file.opened))
            lend = partial(crew.lend, crew.engine)
            talk = Dialogue(crew.engine, job, self._options.timeout, entrant.file, crew.recorder, lend)
            try:
                before, _ = talk.load()
            except TimingFailedError as error:
                return [Speed(failure=error.finding) for _ in points], None
            for index in points:
                self._say(plan, entrant.name, index)
                try:
                    timing = self._time(plan, talk, index, job.host.call)
                    speeds.append(judged(plan, index, timing, rivals, counted, self._l2))
                except TimingFailedError as error:
                    speeds.append(Speed(failure=error.finding))
                    if error.everywhere:
                        return speeds + [Speed(failure=error.finding)] * (len(points) - len(speeds)), None
                    if error.lost:
                        return speeds, None
            try:
                return speeds, talk.end() / before
            except TimingFailedError:
                return speeds, None

    def _time(self, plan: Plan, talk: Dialogue, index: int, call: str) -> Timing:
        """Return a timing whose result is correct; raise TimingFailedError if there is none or the result is wrong."""
        timing, outputs, findings = talk.time(index)
        errors = [found for found in findings if found.severity is Severity.ERROR]
        if errors:  # the time would not be that of the kernel's work
            raise TimingFailedError(errors[0], everywhere=True)
        sample = draw_sample(plan, index, self._device)
        wrong = form_finding(sample, outputs, self._device.type, call)
        if wrong is None:
            wrong = talk.checked(sample.rows, sample.nbytes, lambda rows: value_finding(sample, outputs, rows, call))
        if wrong is not None:
            raise TimingFailedError(wrong)
        return timing

    def _conclude(self, plan: Plan, rivals: Rivals | None, contenders: Sequence[Contender]) -> Bench:
        return Bench(
            puzzle=plan.puzzle.number,
            slug=plan.puzzle.slug,
            seed=plan.seed,
            dtype=plan.dtype,
            axis=plan.bench.axis,
            dims=plan.puzzle.dims,
            unit=plan.spec.unit,
            environment=environment(),
            copy_gb_per_s=rivals.copy_gb_per_s if rivals else None,
            matmul_tflop_per_s=rivals.matmul_tflop_per_s if rivals else None,
            points=plan.points,
            contenders=tuple(contenders),
            notes=(*plan.notes, *drift_notes(contenders)),
            work_in_words=work_in_words(plan),
        )


def work_in_words(plan: Plan) -> str:
    """Return, in words, the quantity that a rate counts."""
    if plan.spec.memory_bound:
        return "bytes that must be read and written, over the median time"
    return f"{plan.puzzle.operations_in_words or plan.spec.work} operations"


def judged(plan: Plan, index: int, timing: Timing, rivals: Rivals, counted: Counted, l2: L2 | None = None) -> Speed:
    """Return a correct result's speed, with labels if it cannot be true and the speed that its bytes predict."""
    point = plan.points[index]
    rate = rate_of(point.work, timing, plan.spec.unit)
    matmul = rivals.matmul_tflop_per_s
    doubted = labels(timing, point.minimum_bytes, rivals.copy_gb_per_s, None if matmul is None else rate / matmul)
    moved, dram = counted.ledger_bytes[index], counted.dram_bytes[index]
    predicted = point.predicted(moved, dram, None if l2 is None else l2.gb_per_s)
    return Speed(timing, rate, tuple(doubted), None, moved, predicted, dram)


def baselines(plan: Plan, rivals: Rivals) -> list[Contender]:
    """Return the PyTorch baselines as contenders."""
    found = []
    rungs = {base.name: base.rung for base in plan.spec.baselines}
    for name, timings in rivals.timings.items():
        absent = Finding("not-available", f"{name} does not run here: no such kernel, or no memory for it.")
        speeds = tuple(
            Speed(failure=absent) if timing is None else Speed(timing, rate_of(point.work, timing, plan.spec.unit))
            for point, timing in zip(plan.points, timings, strict=True)
        )
        found.append(Contender(name, None, speeds, rung=rungs[name]))
    return found


def refused(entrant: Entrant, counted: Counted, plan: Plan) -> Contender:
    """Return a contender without timings, for a file that is not worth timing."""
    return Contender(entrant.name, str(entrant.file), (Speed(failure=counted.refusal),) * len(plan.points))


def drift_notes(contenders: Sequence[Contender]) -> list[str]:
    """Return a note for each contender after which a copy ran at another speed: the GPU is shared, or it got hot."""
    return [
        f"While {found.name} was timed, the speed of a copy changed by {100 * (found.copy_drift - 1):+.0f} %."
        for found in contenders
        if found.copy_drift is not None and abs(found.copy_drift - 1) > MOST_DRIFT
    ]
