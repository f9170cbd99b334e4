"""Predict the speed of a kernel that is right, at the shape that its puzzle is timed at, on a GPU that is not here."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from math import prod

from tritonpuzzles.curriculum.expressions import evaluate
from tritonpuzzles.curriculum.limits import TRAFFIC, BenchmarkSpec
from tritonpuzzles.curriculum.record import Case, Task
from tritonpuzzles.hardware.l2 import L2S
from tritonpuzzles.judge.inputs import draw
from tritonpuzzles.judge.predicted.costs import Costs, NoCostsError, costs_of, whole_and_few
from tritonpuzzles.judge.predicted.words import why
from tritonpuzzles.judge.workers.crew import Crew
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.check import Predicted
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.speed.machine import Machine, machine_named
from tritonpuzzles.speed.model import BAND, WIDE_BAND, call_us
from tritonpuzzles.speed.reasons import reason
from tritonpuzzles.wire.program import ITEM_SIZES

MOST_ELEMENTS = 1 << 18  # of the largest tensor of the call that is run
FEWEST_ROWS = 16
LEAST_US = 20.0  # below, the launch counts more than the kernel
ARITHMETIC = "Arithmetic decides the speed of this puzzle; the model knows what memory allows."
SHORT = "The call would take about {:.0f} microseconds: below 20 the launch counts more than the kernel."


def predicted_speed(
    task: Task, file: Submission, gpu: str, start: Callable[[], Crew], seed: int, timeout: float | None
) -> Predicted | None:
    """Return what a model says of the speed of a right kernel; `None` for a task that is not timed.

    Args:
        task: that the file solves.
        file: the file.
        gpu: one of `L2S`.
        start: starts workers on the CPU.
        seed: of the numbers.
        timeout: seconds for each stage.
    """
    spec = task.benchmark
    if spec is None:
        return None
    machine, timed = machine_named(gpu), next(case for case in task.cases if case.name == spec.case)
    shape = timed.drawn_shape(random.Random(f"{seed}/{timed.name}"))
    nothing = Predicted(gpu, shape, timed.dtype, spec.unit, machine.copy_gb_per_s, stars_at=_stars_at(spec))
    if not spec.memory_bound:
        return replace(nothing, problem=ARITHMETIC)
    few = _few(shape)
    cases = whole_and_few(timed, shape, few, gpu, "timed")
    times = prod(shape) / prod(few)
    l2 = L2S[gpu]
    with start() as crew:
        drawn = draw(replace(task, cases=cases, benchmark=None), seed, "cpu", phantoms=True)
        drawn[0] = replace(drawn[0], noted=True)
        trial = Trial(task, file, "cpu", drawn, timeout, lambda _: None, targets=(l2.target,), resources=True)
        evidence = trial.gather(crew)
        try:
            found = costs_of(trial, crew, evidence, 0, 1, l2, times)
        except NoCostsError as error:
            return replace(nothing, problem=str(error))
    return _told(nothing, found, machine, spec, task, timed, file)


def _few(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape with so few rows that the interpreter is done with it at once."""
    rows = shape[0]
    least = FEWEST_ROWS if len(shape) > 1 else 1
    while rows > least and rows // 2 * prod(shape[1:]) >= MOST_ELEMENTS:
        rows //= 2
    return (max(least, rows), *shape[1:])


def _told(
    nothing: Predicted, found: Costs, machine: Machine, spec: BenchmarkSpec, task: Task, timed: Case, file: Submission
) -> Predicted:
    microseconds, _ = call_us(found.launches, machine)
    if microseconds < LEAST_US:
        return replace(nothing, problem=SHORT.format(microseconds))
    names = {**dict(zip(task.dims, nothing.shape, strict=True)), "itemsize": ITEM_SIZES[timed.dtype]}
    work, moved = evaluate(spec.work, names), evaluate(spec.moved, names)
    rate = work / microseconds / 1e3
    limit = machine.copy_gb_per_s * work / moved
    held = reason(found.launches, machine, moved)
    share = rate / limit
    earned = 1 + sum(share >= at for at in nothing.stars_at) if spec.stars.of == TRAFFIC else 1
    return replace(
        nothing,
        microseconds=microseconds,
        rate=rate,
        share_of_copy=rate / machine.copy_gb_per_s,
        share_of_limit=share,
        band=BAND if held is None else WIDE_BAND,
        limit="" if held is None else held.code,
        why=None if held is None else why(held, found, machine, file),
        stars=earned,
    )


def _stars_at(spec: BenchmarkSpec) -> tuple[float, ...]:
    return (spec.stars.two, spec.stars.three)
