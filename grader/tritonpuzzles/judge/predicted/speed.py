"""Predict a correct kernel's speed at the shape that its puzzle is timed at, on a GPU that is not present."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod

from tritonpuzzles.curriculum.expressions import evaluate
from tritonpuzzles.curriculum.limits import TRAFFIC, BenchmarkSpec
from tritonpuzzles.curriculum.record import Case, Task
from tritonpuzzles.hardware.l2 import L2S
from tritonpuzzles.judge.inputs import draw
from tritonpuzzles.judge.predicted.costs import Costs, NoCostsError, Whole, costs_of, whole_and_few
from tritonpuzzles.judge.predicted.words import why
from tritonpuzzles.judge.workers.crew import Crew
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.check import Predicted
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.speed.machine import Machine, machine_named
from tritonpuzzles.speed.model import BAND, PRODUCTS_BAND, WIDE_BAND, WIDE_PRODUCTS_BAND, call_us, fastest
from tritonpuzzles.speed.reasons import reason
from tritonpuzzles.wire.program import ITEM_SIZES

MOST_ELEMENTS = 1 << 18  # of the largest tensor of the call that runs
FEWEST_ROWS = 16
LEAST_US = 20.0  # below it the launch overhead exceeds the kernel's time
MOST_OPERATIONS = 1 << 27  # of the call that runs, where products decide the speed
SHORT = "The call would take about {:.0f} microseconds: below 20 the launch counts more than the kernel."


def predicted_speed(
    task: Task, file: Submission, gpu: str, start: Callable[[], Crew], seed: int, timeout: float | None
) -> Predicted | None:
    """Return a model's prediction of a correct kernel's speed on a GPU of `L2S`; `None` for a task that is not timed.

    Workers start on the CPU, and have `timeout` seconds for each stage.
    """
    spec = task.benchmark
    if spec is None:
        return None
    machine, timed = machine_named(gpu), next(case for case in task.cases if case.name == spec.case)
    shape = timed.drawn_shape(random.Random(f"{seed}/{timed.name}"))
    stars_at = (spec.stars.two, spec.stars.three)
    nothing = Predicted(gpu, shape, timed.dtype, spec.unit, machine.copy_gb_per_s, stars_at=stars_at)
    few = _few(shape) if spec.memory_bound else few_operations(shape, task.dims, spec)
    cases = whole_and_few(timed, shape, few, gpu, "timed")
    l2 = L2S[gpu]
    with start() as crew:
        drawn = draw(replace(task, cases=cases, benchmark=None), seed, "cpu", phantoms=True)
        drawn[0] = replace(drawn[0], noted=True)
        trial = Trial(task, file, "cpu", drawn, timeout, lambda _: None, targets=(l2.target,), resources=True)
        evidence = trial.gather(crew)
        try:
            found = costs_of(trial, crew, evidence, (0, 1), l2, whole_beside(shape, few, task, timed))
        except NoCostsError as error:
            return replace(nothing, problem=str(error))
    return _told(nothing, found, machine, spec, task, timed, file)


def _few(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape with so few rows that the interpreter finishes at once."""
    rows = shape[0]
    least = FEWEST_ROWS if len(shape) > 1 else 1
    while rows > least and rows // 2 * prod(shape[1:]) >= MOST_ELEMENTS:
        rows //= 2
    return (max(least, rows), *shape[1:])


def few_operations(shape: tuple[int, ...], dims: Sequence[str], spec: BenchmarkSpec) -> tuple[int, ...]:
    """Return the shape with its longest dimensions halved until the interpreter computes the products quickly."""
    few = list(shape)
    while evaluate(spec.work, dict(zip(dims, few, strict=True))) > MOST_OPERATIONS:
        few[few.index(max(few))] //= 2
    return tuple(few)


def whole_beside(shape: Sequence[int], few: Sequence[int], task: Task, timed: Case) -> Whole:
    """Return the ratios of work and bytes between the calls of two shapes."""
    spec = task.benchmark
    assert spec is not None
    if spec.memory_bound:
        return Whole(prod(shape) / prod(few), prod(shape) / prod(few))
    sizes = [{**dict(zip(task.dims, one, strict=True)), "itemsize": ITEM_SIZES[timed.dtype]} for one in (shape, few)]
    work, moved = ([evaluate(what, names) for names in sizes] for what in (spec.work, spec.moved))
    return Whole(work[0] / work[1], moved[0] / moved[1], work[0], moved[0])


def _told(
    nothing: Predicted, found: Costs, machine: Machine, spec: BenchmarkSpec, task: Task, timed: Case, file: Submission
) -> Predicted:
    launches = fastest(found.launches, machine)
    microseconds, _ = call_us(launches, machine)
    if microseconds < LEAST_US:
        return replace(nothing, problem=SHORT.format(microseconds))
    names = {**dict(zip(task.dims, nothing.shape, strict=True)), "itemsize": ITEM_SIZES[timed.dtype]}
    work, moved = evaluate(spec.work, names), evaluate(spec.moved, names)
    rate = work / microseconds / (1e3 if spec.memory_bound else 1e6)
    limit = machine.copy_gb_per_s * work / moved
    held = reason(found.launches, machine, moved)
    narrow, wide = (BAND, WIDE_BAND) if spec.memory_bound else (PRODUCTS_BAND, WIDE_PRODUCTS_BAND)
    yardstick = limit if spec.stars.of == TRAFFIC else spec.stars.reached.get(nothing.gpu)
    share = rate / yardstick if yardstick else None
    return replace(
        nothing,
        microseconds=microseconds,
        rate=rate,
        share_of_copy=rate / machine.copy_gb_per_s if spec.memory_bound else None,
        share_of_limit=rate / limit if spec.memory_bound else None,
        tensor_tflop_per_s=None if spec.memory_bound else machine.tensor_tflop_per_s,
        yardstick=spec.stars.of,
        yardstick_rate=yardstick,
        share_of_yardstick=share,
        band=narrow if held is None else wide,
        limit="" if held is None else held.code,
        why=None if held is None else why(held, found, machine, file),
        stars=1 + sum(share is not None and share >= at for at in nothing.stars_at),
    )
