"""Check a timed output without having it: some of its rows, chosen after the worker has said what the time was.

The worker draws its inputs on the GPU from a seed (`drawing`), and the judge draws the same for itself: nothing of
2 GiB is sent. Of the output the judge asks for rows that nobody could know before, the first and the last among them;
a matrix of at most 16 MiB it asks for whole. What this finds: a kernel that is wrong in general at this size, in a tail
or an offset past 2^31, that leaves out work when it is timed, or that returns a kept answer (the numbers change before
the last timed call). A fault in 5 % of the rows slips through once in five times where 32 rows are looked at. What it
cannot find is a file that forges what its own process says, the time included; `check` says the same of itself.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

import torch
from torch import Tensor

from tritonpuzzles.curriculum.record import Case
from tritonpuzzles.judge.authors import authored, of_shape
from tritonpuzzles.judge.bench.plan import Plan
from tritonpuzzles.judge.drawn import DrawnCase, Expected, Layout
from tritonpuzzles.judge.evidence.outputs import Output
from tritonpuzzles.judge.inputs import expected_outputs
from tritonpuzzles.judge.resolve import resolve, tolerances_of
from tritonpuzzles.judge.tolerances import Tolerance
from tritonpuzzles.judge.truth import truth
from tritonpuzzles.judge.verdict.compare import compare
from tritonpuzzles.judge.verdict.form import form_findings
from tritonpuzzles.results.check import Finding, Mismatch, Verdict
from tritonpuzzles.wire.bench_job import PointJob
from tritonpuzzles.wire.drawing import draw_tensors

SAMPLE_BYTES = 16 << 20
FEWEST_ROWS, MOST_ROWS = 32, 2048
CHUNK = 256  # rows whose truth is computed at once, in float64


@dataclass(frozen=True)
class Sample:
    """Some rows of the truth.

    Attributes:
        rows: their numbers, rising.
        drawn: a case of just these rows, on the CPU.
        tolerances: one per output.
        whole: what the whole outputs must be like.
    """

    rows: tuple[int, ...]
    drawn: DrawnCase
    tolerances: tuple[Tolerance, ...]
    whole: tuple[Expected, ...]

    @property
    def nbytes(self) -> int:
        """Bytes of these rows of all outputs."""
        return sum(output.nbytes for output in self.drawn.outputs)


def choose_rows(n_rows: int, row_bytes: int) -> tuple[int, ...]:
    """Return which rows to look at, unpredictably: all of a small output, else the first, the last and some between."""
    count = min(n_rows, MOST_ROWS, max(FEWEST_ROWS, SAMPLE_BYTES // max(1, row_bytes)))
    if count == n_rows:
        return tuple(range(n_rows))
    between = random.SystemRandom().sample(range(1, n_rows - 1), count - 2)
    return (0, *sorted(between), n_rows - 1)


def draw_sample(plan: Plan, point: PointJob, rows: Sequence[int], device: torch.device) -> Sample:
    """Compute what some rows of the output must be.

    Args:
        plan: whose puzzle knows the truth.
        point: the size, with the seed of the numbers that the worker checked on.
        rows: to compute.
        device: on which the worker drew.

    Raises:
        RecordError: if a family or the reference does not fit the record at this size.
    """
    generator = torch.Generator(device).manual_seed(point.check_seed)
    with authored(plan.puzzle, of_shape(point.shape)):
        inputs = draw_tensors(plan.family, point.tensors, point.shape, generator, plan.puzzle.folder)
    chosen = torch.tensor(rows, device=device)
    picked = {
        spec.name: tensor.index_select(0, chosen) if spec.name in plan.bench.rows else tensor
        for spec, tensor in zip(point.tensors, inputs, strict=True)
    }
    with authored(plan.puzzle, of_shape(point.shape)):
        golden = _truth(plan, picked)
    shape = (len(rows), *point.shape[1:])
    dims = dict(zip(plan.puzzle.dims, point.shape, strict=True))
    whole = expected_outputs(plan.puzzle, dims, plan.dtype)
    drawn = DrawnCase(
        case=Case(_name(plan, point), "", plan.family, shape, plan.dtype),
        shape=shape,
        dims=dims,
        tensors={n: Layout(t.reshape(-1), tuple(t.shape), t.stride(), 0) for n, t in picked.items()},
        outputs=tuple(replace(output, shape=(len(rows), *output.shape[1:])) for output in whole),
        golden=golden,
        values=plan.values,
    )
    tolerances = tolerances_of(plan.puzzle, drawn)
    here = replace(drawn, tensors={}, golden=tuple(tensor.cpu() for tensor in golden))
    return Sample(tuple(rows), here, tolerances, whole)


def _truth(plan: Plan, tensors: Mapping[str, Tensor]) -> tuple[Tensor, ...]:
    """Return the reference's outputs in float64, a few rows at a time."""
    resolved, rowwise = resolve(plan.puzzle), plan.bench.rows
    n_rows = max(tensors[name].shape[0] for name in rowwise)
    pieces = []
    for start in range(0, n_rows, CHUNK):
        part = slice(start, start + CHUNK)
        some = {name: tensor[part] if name in rowwise else tensor for name, tensor in tensors.items()}
        pieces.append(truth(plan.puzzle, resolved, some, plan.values))
    return tuple(torch.cat(outputs) for outputs in zip(*pieces, strict=True))


def form_finding(sample: Sample, outputs: Sequence[Output], device: str, call: str) -> Finding | None:
    """Return what is wrong with the number, type, shape, dtype or device of whole outputs."""
    found = form_findings(outputs, sample.whole, sample.drawn.case.dtype, device, call)
    return replace(found[0], case=sample.drawn.name) if found else None


def value_finding(sample: Sample, outputs: Sequence[Output], pieces: Sequence[bytes], call: str) -> Finding | None:
    """Return what is wrong with the values of the chosen rows.

    Raises:
        ValueError: if the bytes are not those of the rows.
    """
    shown = [
        replace(output, shape=tuple(golden.shape), data=piece)
        for output, golden, piece in zip(outputs, sample.drawn.golden, pieces, strict=True)
    ]
    device = outputs[0].device.partition(":")[0]
    found = compare(sample.drawn, shown, sample.tolerances, device, call)
    if found.result.verdict is Verdict.PASS:
        return None
    text = f"The result is wrong at {sample.drawn.name}, in the very call that was timed"
    mismatch = found.result.mismatch
    if mismatch is None:
        return Finding("wrong-values", f"{text}.", case=sample.drawn.name)
    return Finding("wrong-values", f"{text}: {_words(sample, mismatch)}", case=sample.drawn.name)


def _words(sample: Sample, mismatch: Mismatch) -> str:
    first = (sample.rows[mismatch.first[0]], *mismatch.first[1:])
    total = next(prod(output.shape) for output in sample.whole if output.name == mismatch.output)
    seen = "" if mismatch.total == total else f" looked at, of {total:,}"
    return (
        f"{mismatch.wrong:,} of {mismatch.total:,} elements of {mismatch.output}{seen}; "
        f"the first is {list(first)}: expected {_shown(mismatch.expected)}, got {_shown(mismatch.got)}."
    )


def _shown(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.6g}"


def _name(plan: Plan, point: PointJob) -> str:
    size = dict(zip(plan.puzzle.dims, point.shape, strict=True))[plan.bench.axis]
    return f"{plan.bench.axis} = {size:,}"
