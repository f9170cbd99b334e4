"""Which sizes a sweep times, with what is known of each beforehand: shape, bytes, operations, memory."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

from tritonpuzzles.curriculum.expressions import evaluate
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.speed import BenchmarkSpec, SweepSpec
from tritonpuzzles.judge.sweep.options import SweepOptions
from tritonpuzzles.sweep_job import PointJob, SweepJob
from tritonpuzzles.sweeping import SweptPoint

ITEM_SIZES = {"float32": 4, "float16": 2, "bfloat16": 2}
SPARE = 0.8  # of the free memory
COPIES = 7  # tensors of an input's size alive at once: inputs, their guarded copies and those of before, outputs, masks
DRAWN_ITEMSIZE = 8  # numbers are drawn in float64
GIB = 1 << 30


class NoSweepError(ValueError):
    """A puzzle cannot be swept as asked; the message says why."""


@dataclass(frozen=True)
class Plan:
    """One sweep before it is run.

    Attributes:
        puzzle, spec, sweep: what is timed.
        dtype: of every input.
        seed: of all numbers.
        points: those that fit into memory.
        notes: which do not, as sentences.
    """

    puzzle: Puzzle
    spec: BenchmarkSpec
    sweep: SweepSpec
    dtype: str
    seed: int
    points: tuple[SweptPoint, ...]
    notes: tuple[str, ...]

    @property
    def family(self) -> str:
        """The input family of the timed case, as both sides name it."""
        case = next(case for case in self.puzzle.cases if case.name == self.spec.case)
        return f"tritonpuzzles.curriculum.families:{case.family}"

    @property
    def baseline_key(self) -> tuple[object, ...]:
        """What decides the speed of PyTorch and of a copy: plans that agree in it share their timings."""
        shapes = tuple(point.shape for point in self.points)
        return self.family, self.dtype, shapes, tuple(self.spec.baselines.items()), self.spec.unit

    def job(self, file: str | None) -> SweepJob:
        """Return the plan as a worker is told of it: a file alone, or without one PyTorch and copies."""
        return SweepJob(
            file=file,
            host=self.puzzle.host,
            arguments=self.puzzle.arguments,
            family=self.family,
            dtype=self.dtype,
            points=tuple(self._point_job(point, with_copy=file is None) for point in self.points),
            baselines={} if file is not None else dict(self.spec.baselines),
            arithmetic=file is None and not self.spec.memory_bound,
        )

    def _point_job(self, point: SweptPoint, with_copy: bool) -> PointJob:
        rng = random.Random(f"{self.seed}/{self.family}/{point.shape}/{self.dtype}")
        copied = point.minimum_bytes // 2 if with_copy and self.spec.memory_bound else None
        return PointJob(point.shape, rng.getrandbits(63), rng.getrandbits(63), copied)


def plan_sweep(puzzle: Puzzle, options: SweepOptions, seed: int, free_bytes: int | None = None) -> Plan:
    """Plan a sweep.

    Args:
        puzzle: what is timed.
        options: sizes and dtype.
        seed: of the numbers.
        free_bytes: of the GPU; sizes that would not fit are left out, with a note.

    Raises:
        NoSweepError: if the puzzle has no sweep, or no size fits.
    """
    spec = puzzle.benchmark
    if spec is None or spec.sweep is None:
        raise NoSweepError(f"Puzzle {puzzle.number}, {puzzle.slug}, has nothing to time.")
    dtype = options.dtype or next(case.dtype for case in puzzle.cases if case.name == spec.case)
    sizes = sorted(set(options.sizes or spec.sweep.sizes))
    asked = [_point(puzzle, spec, spec.sweep, size, dtype) for size in sizes]
    points, notes = _fitting(asked, len(puzzle.arguments), dtype, free_bytes)
    if not points:
        raise NoSweepError(f"Nothing is timed. {' '.join(notes)}")
    timed = points[-1:] if options.largest_only else points
    return Plan(puzzle, spec, spec.sweep, dtype, seed, tuple(timed), tuple(notes))


def _point(puzzle: Puzzle, spec: BenchmarkSpec, sweep: SweepSpec, size: int, dtype: str) -> SweptPoint:
    shape = sweep.shape_at(size)
    names = {**dict(zip(puzzle.dims, shape, strict=True)), "itemsize": ITEM_SIZES[dtype]}
    work, moved, minimum = (evaluate(amount, names) for amount in (spec.work, spec.moved, spec.minimum))
    return SweptPoint(size, shape, work, minimum, moved)


def needed_bytes(shape: Iterable[int], inputs: int, dtype: str) -> int:
    """Return about how much memory it takes to draw, check and time one size."""
    return prod(shape) * inputs * (COPIES * ITEM_SIZES[dtype] + DRAWN_ITEMSIZE)


def _fitting(
    asked: Sequence[SweptPoint], inputs: int, dtype: str, free_bytes: int | None
) -> tuple[list[SweptPoint], list[str]]:
    points, notes = [], []
    for point in asked:
        needed = needed_bytes(point.shape, inputs, dtype)
        if free_bytes is None or needed <= SPARE * free_bytes:
            points.append(point)
        else:
            room = f"it takes about {needed / GIB:.1f} GiB, and {free_bytes / GIB:.1f} GiB are free"
            notes.append(f"Size {point.size:,} is left out: {room}.")
    return points, notes
