"""Run a submission on a few representative inputs: what its kernels compile to, and their memory traffic.

Nothing is graded. Importing this module is cheap; torch is imported while the worker starts.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

from tritonpuzzles.curriculum.expressions import evaluate
from tritonpuzzles.curriculum.limits import BenchmarkSpec
from tritonpuzzles.curriculum.record import Case, Puzzle, Task
from tritonpuzzles.hardware.l2 import L2, USUAL, l2_named
from tritonpuzzles.judge.environment import one_thread
from tritonpuzzles.judge.options import CheckOptions, Progress, seed_of
from tritonpuzzles.judge.workers.crew import Crew
from tritonpuzzles.judge.workers.parent import warm_parent
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.codes import COMPILE_ERROR
from tritonpuzzles.results.inspect import Inspection, Point, Prediction, programs_per_sm
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.wire.program import ITEM_SIZES

if TYPE_CHECKING:
    from tritonpuzzles.judge.evidence.cases import Evidence
    from tritonpuzzles.judge.workers.trial import Trial

UNIT = 16  # in elements: Triton compiles wider loads for sizes and strides that are multiples of it
MOST_WORK = 1 << 25  # bytes or operations of one call: the interpreter takes well under a second for them
LEAST_SIZE = 64  # below which no dimension is shrunk
MOST_OPERATIONS = 1 << 30  # of a matrix product, which the interpreter does faster than softmaxes


def inspect(
    puzzle: Puzzle,  # what the file claims to solve
    file: Path | Submission,
    targets: Sequence[str],  # names in `tritonpuzzles.hardware.gpus.TARGETS`
    options: CheckOptions,  # seed and timeout, and the GPU whose L2 cache is modelled
    progress: Progress = lambda _: None,  # takes short sentences about what is being done
    cache: Path | None = None,  # folder for compile results
) -> Inspection:
    """Run a file on the CPU and compile its kernels for targets.

    Raises WorkerBrokenError if the grader itself does not work here.
    """
    seed = seed_of(options.seed)
    warm_parent()
    from tritonpuzzles.judge.inputs import draw
    from tritonpuzzles.judge.workers.trial import Trial

    with one_thread(), Crew("cpu", cache) as crew:
        cases = draw(replace(puzzle, cases=tuple(representative(puzzle, seed)), benchmark=None), seed, "cpu")
        file = Submission.of(file)
        trial = Trial(puzzle, file, "cpu", cases, options.timeout, progress, tuple(targets), resources=True)
        evidence = trial.gather(crew)
        l2 = l2_named(options.gpu) or USUAL
        prediction = cached(predict(trial, evidence), trial, evidence, crew, seed, l2)
        kernels, found = tuple(evidence.resources), tuple(findings(trial, evidence))
        return Inspection(puzzle.number, puzzle.slug, file, seed, kernels, prediction, found)


def findings(trial: Trial, evidence: Evidence) -> Iterator[Finding]:
    """Yield the findings that kept the file from running or its kernels from compiling; results are not compared."""
    yield from evidence.compile_findings
    if evidence.failure is not None:
        yield evidence.failure
    rejected = any(finding.code == COMPILE_ERROR for finding in evidence.compile_findings)
    for index, found in sorted(evidence.cases.items()):
        if found.failure is not None and not (rejected and found.failure.code == "kernel-error"):
            yield replace(found.failure, case=trial.cases[index].name)
    failed = evidence.failure is not None or any(found.failure is not None for found in evidence.cases.values())
    if not failed and not evidence.resources:
        text = f"{trial.task.call} launches no Triton kernel."
        yield Finding("no-launch", text, file=str(trial.file), next_step="Launch the kernel: kernel[grid](...).")


def predict(trial: Trial, evidence: Evidence) -> Prediction | None:
    """Return the prediction that the first case's ledger gives for the speed, or `None` if it gives none."""
    drawn, found = trial.cases[0], evidence.cases.get(0)
    moved = found.moved_bytes if found else 0
    if not moved:
        return None
    spec = trial.task.benchmark
    bound = spec is None or spec.unit == "GB/s"
    return Prediction(drawn.shape, drawn.case.dtype, sum(drawn.sizes.values()), moved, bound)


def cached(
    prediction: Prediction | None, trial: Trial, evidence: Evidence, crew: Crew, seed: int, l2: L2
) -> Prediction | None:
    """Add the DRAM traffic on the chosen GPU to a prediction; only where the bytes decide the speed.

    The case has fewer rows than the timed one, but the model runs as many programs at once as the timed one would.
    """
    if prediction is None or not prediction.memory_bound:
        return prediction
    room = programs_per_sm(evidence.resources, l2.target)
    traffic = trial.behind_l2(crew, 0, l2, stands_for(trial.task, prediction.shape, seed), room).cache
    if traffic is None or traffic.dram_bytes is None:
        problem = traffic.problem if traffic is not None else None
        return replace(prediction, unmodelled=problem or "The call could not be run with a model of an L2 cache.")
    return replace(prediction, gpu=l2.gpu, dram_bytes=traffic.dram_bytes, l2_over_copy=l2.over_copy)


def stands_for(puzzle: Task, shape: Sequence[int], seed: int) -> float:
    """Return how many times as many rows the timed case has as a case of this shape."""
    timed = _timed(puzzle)
    return 1.0 if timed is None else max(1.0, _shape(puzzle, timed, seed)[0] / shape[0])


def _timed(puzzle: Task) -> Case | None:
    return next((case for case in puzzle.cases if puzzle.benchmark and case.name == puzzle.benchmark.case), None)


def representative(puzzle: Puzzle, seed: int, most_work: int = MOST_WORK) -> Iterator[Case]:
    """Yield one case per dtype: first the timed one, at a size for the CPU, then the largest of each other dtype.

    The timed one has at most `most_work` bytes or operations. Sizes are rounded up to multiples of 16, because the code
    that a kernel compiles to for such sizes decides its speed.
    """
    timed = _timed(puzzle)
    if timed is not None and puzzle.benchmark is not None:
        shape = _shape(puzzle, timed, seed)
        yield _plain_case(timed, shrunk(puzzle.benchmark, puzzle.dims, shape, ITEM_SIZES[timed.dtype], most_work))
    largest: dict[str, Case] = {}
    for case in puzzle.cases:
        if "cpu" in case.devices and (timed is None or case.dtype != timed.dtype):
            found = _plain_case(case, _shape(puzzle, case, seed))
            known = largest.setdefault(case.dtype, found)
            largest[case.dtype] = max(known, found, key=lambda case: prod(int(size) for size in case.shape))
    yield from largest.values()


def shrunk(
    spec: BenchmarkSpec, dims: Sequence[str], shape: Sequence[int], itemsize: int, most_work: int = MOST_WORK
) -> tuple[int, ...]:
    """Return the timed shape with dimensions halved, in order, until the interpreter runs it in under a second."""
    sizes = dict(zip(dims, shape, strict=True))
    for name in dims:
        while evaluate(spec.work, {**sizes, "itemsize": itemsize}) > most_work and sizes[name] > LEAST_SIZE:
            sizes[name] = max(LEAST_SIZE, sizes[name] // 2)
    return tuple(sizes.values())


def _shape(puzzle: Task, case: Case, seed: int) -> tuple[int, ...]:
    from tritonpuzzles.judge.resolve import authored

    with authored(puzzle, f"case {case.name!r}"):
        return case.drawn_shape(random.Random(f"{seed}/{case.name}"))


def _plain_case(case: Case, shape: Sequence[int]) -> Case:
    rounded = tuple(-(-size // UNIT) * UNIT if size > UNIT else size for size in shape)
    return replace(case, shape=rounded, layout="contiguous", devices=("cpu",), after=None)


def points(
    items: Sequence[tuple[Puzzle, Path | Submission]], options: CheckOptions, progress: Progress = lambda _: None
) -> list[Point]:
    """Run each file once on the CPU and return its point; puzzles without a benchmark have none.

    Raises WorkerBrokenError if the grader itself does not work here.
    """
    seed = seed_of(options.seed)
    timed = [item for item in items if item[0].benchmark and item[0].operations]
    return [_point(puzzle, Submission.of(file), seed, options, progress) for puzzle, file in timed]


def _point(puzzle: Puzzle, file: Submission, seed: int, options: CheckOptions, progress: Progress) -> Point:
    warm_parent()
    from tritonpuzzles.judge.inputs import draw
    from tritonpuzzles.judge.verdict.decide import unsound
    from tritonpuzzles.judge.workers.trial import Trial

    assert puzzle.benchmark is not None
    most = MOST_WORK if puzzle.benchmark.memory_bound else MOST_OPERATIONS
    case = next(representative(puzzle, seed, most))
    drawn = draw(replace(puzzle, cases=(case,), benchmark=None), seed, "cpu")
    names = {**drawn[0].dims, "itemsize": ITEM_SIZES[case.dtype]}
    operations, work = evaluate(puzzle.operations, names), evaluate(puzzle.benchmark.work, names)
    shape, unit = drawn[0].shape, puzzle.benchmark.unit
    point = Point(puzzle.number, puzzle.slug, str(file), shape, case.dtype, operations, work, unit)
    with one_thread(), Crew("cpu") as crew:
        trial = Trial(puzzle, file, "cpu", drawn, options.timeout, progress)
        evidence = trial.gather(crew)
        problem = unsound(trial, evidence)
    if problem is not None:
        return replace(point, problem=problem.message)
    return replace(point, bytes=evidence.cases[0].moved_bytes)
