"""Plan a bench: which sizes it times, what is known of each beforehand, and how a timed output is checked by some rows.

The rows are chosen after the worker has reported the time (`judge/truth.py`). The inputs change before the last timed
call, so a kernel that skips work while it is timed, or returns a kept answer, is found too.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

import torch

from tritonpuzzles.curriculum.call import Call
from tritonpuzzles.curriculum.expressions import evaluate, shape_of
from tritonpuzzles.curriculum.limits import BenchmarkSpec, BenchSpec
from tritonpuzzles.curriculum.record import Case, Puzzle
from tritonpuzzles.judge.bench import BenchOptions, NoBenchError
from tritonpuzzles.judge.drawn import DrawnCase, Expected
from tritonpuzzles.judge.evidence.fields import Output
from tritonpuzzles.judge.inputs import expected_outputs, flags_of, tensor_specs
from tritonpuzzles.judge.resolve import authored, of_shape, resolve
from tritonpuzzles.judge.tolerances import Tolerance
from tritonpuzzles.judge.truth import rows_to_look_at, with_rows
from tritonpuzzles.judge.verdict.compare import compare_rows, form_findings
from tritonpuzzles.judge.workers.job import host_of
from tritonpuzzles.results.bench import BenchPoint
from tritonpuzzles.results.check import Finding, Verdict
from tritonpuzzles.wire.job import BenchJob, PointJob, TensorSpec, Value
from tritonpuzzles.wire.program import ITEM_SIZES

SPARE = 0.8  # share of the free memory that may be used
COPIES = 7  # tensors of an input's size alive at once: inputs, their guarded copies, earlier copies, outputs, masks
DRAWN_ITEMSIZE = 8  # numbers are drawn in float64
GIB = 1 << 30


@dataclass(frozen=True)
class Plan:
    """One bench before it is run."""

    puzzle: Puzzle  # and spec, bench: what is timed
    spec: BenchmarkSpec
    bench: BenchSpec
    dtype: str  # of every input
    seed: int  # of all numbers
    points: tuple[BenchPoint, ...] = ()  # the sizes that fit into memory
    notes: tuple[str, ...] = ()  # sentences about the sizes that do not fit

    @property
    def family(self) -> str:
        """The input family of the timed case, under the name that judge and worker share."""
        return resolve(self.puzzle).families[timed_case(self.puzzle, self.spec).family]

    @property
    def values(self) -> dict[str, Value]:
        """The arguments that are not tensors: the timed case's values, else the first choice of each."""
        values = timed_case(self.puzzle, self.spec).values
        plain = [argument for argument in self.puzzle.arguments if not argument.is_tensor]
        return {argument.name: values.get(argument.name, argument.choices[0]) for argument in plain}

    def dims(self, shape: Sequence[int]) -> dict[str, int]:
        """Return a shape by the names of its dimensions."""
        return dict(zip(self.puzzle.dims, shape, strict=True))

    def tensors(self, shape: Sequence[int]) -> tuple[TensorSpec, ...]:
        """Return the specifications of the tensors that are drawn at a shape."""
        dims = self.dims(shape)
        with authored(self.puzzle, of_shape(shape)):
            return tuple(tensor_specs(self.puzzle.tensors, dims, self.dtype, resolve(self.puzzle), self.values))

    def point(self, size: int) -> BenchPoint:
        """Return what is known of a size before it is timed."""
        shape = self.bench.shape_at(size)
        names = {**self.dims(shape), "itemsize": ITEM_SIZES[self.dtype]}
        amounts = self.spec.work, self.spec.minimum, self.spec.moved
        return BenchPoint(size, shape, *(evaluate(amount, names) for amount in amounts))

    def needed_bytes(self, shape: Sequence[int]) -> int:
        """Return roughly how many bytes it takes to draw, check and time one size."""
        dims, flags = self.dims(shape), flags_of(self.values)
        elements = sum(prod(shape_of(argument.shape, dims, flags)) for argument in self.puzzle.tensors)
        return elements * (COPIES * ITEM_SIZES[self.dtype] + DRAWN_ITEMSIZE)

    @property
    def baseline_key(self) -> tuple[object, ...]:
        """What decides the speed of PyTorch and of a copy: plans with equal keys share these timings."""
        shapes = tuple(point.shape for point in self.points)
        return self.family, self.dtype, shapes, self.spec.baselines, self.spec.unit, tuple(self.values.items())

    def job(self, file: str | None) -> BenchJob:
        """Return the job that is sent to a worker: one that times a file, or PyTorch and copies if `file` is `None`."""
        return BenchJob(
            file=file,
            host=host_of(self.puzzle),
            values=self.values,
            requires_grad=tuple(argument.name for argument in self.puzzle.arguments if argument.requires_grad),
            family=self.family,
            folder=str(self.puzzle.folder),
            dtype=self.dtype,
            points=tuple(self._point_job(point, with_copy=file is None) for point in self.points),
            baselines={} if file is not None else dict(resolve(self.puzzle).baselines),
            arithmetic=file is None and not self.spec.memory_bound,
        )

    def _point_job(self, point: BenchPoint, with_copy: bool) -> PointJob:
        rng = random.Random(f"{self.seed}/{self.family}/{point.shape}/{self.dtype}")
        copied = point.minimum_bytes // 2 if with_copy and self.spec.memory_bound else None
        seeds = rng.getrandbits(63), rng.getrandbits(63)
        return PointJob(point.shape, self.tensors(point.shape), *seeds, copied)


def plan_bench(puzzle: Puzzle, options: BenchOptions, seed: int, free_bytes: int | None = None) -> Plan:
    """Plan a bench; sizes that would not fit into the free bytes of the GPU are left out, with a note.

    Raises NoBenchError if the puzzle has no bench, or no size fits.
    """
    spec = puzzle.benchmark
    if spec is None or spec.bench is None:
        raise NoBenchError(f"Puzzle {puzzle.number}, {puzzle.slug}, has nothing to time.")
    plan = Plan(puzzle, spec, spec.bench, options.dtype or timed_case(puzzle, spec).dtype, seed)
    points, notes = [], []
    for size in sorted(set(options.sizes or spec.bench.sizes)):
        point = plan.point(size)
        needed = plan.needed_bytes(point.shape)
        if free_bytes is None or needed <= SPARE * free_bytes:
            points.append(point)
        else:
            room = f"it takes about {needed / GIB:.1f} GiB, and {free_bytes / GIB:.1f} GiB are free"
            notes.append(f"Size {point.size:,} is left out: {room}.")
    if not points:
        raise NoBenchError(f"Nothing is timed. {' '.join(notes)}")
    timed = points[-1:] if options.largest_only else points
    return replace(plan, points=tuple(timed), notes=tuple(notes))


def timed_case(puzzle: Puzzle, spec: BenchmarkSpec) -> Case:
    """Return the case that a benchmark times."""
    return next(case for case in puzzle.cases if case.name == spec.case)


@dataclass(frozen=True)
class Sample:
    """Some rows of the reference outputs."""

    drawn: DrawnCase  # a case of which only these rows are known, on the CPU
    tolerances: tuple[Tolerance, ...]  # one per output
    whole: tuple[Expected, ...]  # number, shape and dtype that the whole outputs must have

    @property
    def rows(self) -> tuple[int, ...]:
        """The row indices, ascending."""
        return self.drawn.rows

    @property
    def nbytes(self) -> int:
        """Bytes of these rows of all outputs."""
        return sum(output.nbytes for output in self.drawn.outputs)


def draw_sample(plan: Plan, index: int, device: torch.device, rows: Sequence[int] | None = None) -> Sample:
    """Compute some rows of the expected outputs: those in `rows`, or random ones that the file cannot foresee.

    The inputs are those of the point's second seed, on which the worker made its checked call, drawn on the worker's
    device. Raises RecordError if a family or the reference does not fit the record at this size.
    """
    job = plan.job(None)
    point = job.points[index]
    dims = plan.dims(point.shape)
    name = f"{plan.bench.axis} = {dims[plan.bench.axis]:,}"
    case = Case(name, "", plan.family, point.shape, plan.dtype)
    whole = expected_outputs(plan.puzzle, case, dims, plan.values)
    drawing, call = job.drawing(index, point.check_seed), Call(plan.puzzle, case)
    against = tuple(argument.name for argument in call.against)
    timed = DrawnCase(
        case, point.shape, dims, {}, whole, (), plan.values,
        drawing=drawing, drawn_on=device.type, against=against, able=call.able,
    )  # fmt: skip
    drawn, tolerances = with_rows(plan.puzzle, timed, rows or rows_to_look_at(whole), of_shape(point.shape))
    return Sample(drawn, tolerances, whole)


def form_finding(sample: Sample, outputs: Sequence[Output], device: str, call: str) -> Finding | None:
    """Return what is wrong with the number, type, shape, dtype or device of whole outputs."""
    found = form_findings(outputs, sample.whole, sample.drawn.case.dtype, device, call)
    return replace(found[0], case=sample.drawn.name) if found else None


def value_finding(sample: Sample, outputs: Sequence[Output], pieces: Sequence[bytes], call: str) -> Finding | None:
    """Return what is wrong with the values of the chosen rows.

    Raises ValueError if the bytes are not those of the rows.
    """
    device = outputs[0].device.partition(":")[0]
    found = compare_rows(sample.drawn, outputs, pieces, sample.tolerances, device, call)
    if found.result.verdict is Verdict.PASS:
        return None
    text = f"The result is wrong at {sample.drawn.name}, in the very call that was timed"
    mismatch = found.result.mismatch
    if mismatch is None:
        return Finding("wrong-values", f"{text}.", case=sample.drawn.name)
    total = next(prod(output.shape) for output in sample.whole if output.name == mismatch.output)
    seen = "" if mismatch.total == total else f" looked at, of {total:,}"
    expected, got = (
        str(value) if isinstance(value, int) else f"{value:.6g}" for value in (mismatch.expected, mismatch.got)
    )
    words = (
        f"{mismatch.wrong:,} of {mismatch.total:,} elements of {mismatch.output}{seen}; "
        f"the first is {list(mismatch.first)}: expected {expected}, got {got}."
    )
    return Finding("wrong-values", f"{text}: {words}", case=sample.drawn.name)
