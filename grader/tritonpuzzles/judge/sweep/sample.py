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
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

import torch
from torch import Tensor

from tritonpuzzles.curriculum.record import Case
from tritonpuzzles.drawing import draw_inputs, named
from tritonpuzzles.judge.compare import compare
from tritonpuzzles.judge.form import Output, form_findings
from tritonpuzzles.judge.inputs import DrawnCase, Layout, dtype_of
from tritonpuzzles.judge.sweep.plan import Plan
from tritonpuzzles.judge.tolerances import RULES, Tolerance
from tritonpuzzles.results import Finding, Mismatch, Verdict
from tritonpuzzles.sweep_job import PointJob

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
        shapes: of the whole outputs.
    """

    rows: tuple[int, ...]
    drawn: DrawnCase
    tolerances: tuple[Tolerance, ...]
    shapes: tuple[tuple[int, ...], ...]

    @property
    def nbytes(self) -> int:
        """Bytes of these rows of all outputs."""
        return sum(golden.numel() for golden in self.drawn.golden) * self.drawn.dtype.itemsize


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
    """
    inputs = draw_inputs(plan.family, point.shape, dtype_of(plan.dtype), point.check_seed, device)
    chosen = torch.tensor(rows, device=device)
    by_row = [name in plan.sweep.rows for name in plan.puzzle.arguments]
    picked = [t.index_select(0, chosen) if rowwise else t for t, rowwise in zip(inputs, by_row, strict=True)]
    golden = _truth(plan, picked, by_row)
    case = Case(_name(plan, point), "", plan.family, (len(rows), *point.shape[1:]), plan.dtype)
    drawn = DrawnCase(
        case=case,
        shape=(len(rows), *point.shape[1:]),
        dims=dict(zip(plan.puzzle.dims, point.shape, strict=True)),
        inputs=tuple(Layout(t.reshape(-1), tuple(t.shape), t.stride(), 0) for t in picked),
        golden=golden,
    )
    tolerances = RULES[plan.puzzle.tolerance](drawn)
    here = replace(drawn, inputs=(), golden=tuple(tensor.cpu() for tensor in golden))
    shapes = tuple((point.shape[0], *tensor.shape[1:]) for tensor in golden)
    return Sample(tuple(rows), here, tolerances, shapes)


def _truth(plan: Plan, inputs: Sequence[Tensor], by_row: Sequence[bool]) -> tuple[Tensor, ...]:
    """Return the reference's outputs in float64, a few rows at a time."""
    reference = named(plan.puzzle.reference)
    n_rows = max(t.shape[0] for t, rowwise in zip(inputs, by_row, strict=True) if rowwise)
    pieces = []
    for start in range(0, n_rows, CHUNK):
        part = slice(start, start + CHUNK)
        golden = reference(*(t[part].double() if r else t.double() for t, r in zip(inputs, by_row, strict=True)))
        pieces.append(golden if isinstance(golden, tuple) else (golden,))
    return tuple(torch.cat(outputs) for outputs in zip(*pieces, strict=True))


def form_finding(sample: Sample, outputs: Sequence[Output], device: str, call: str) -> Finding | None:
    """Return what is wrong with the number, type, shape, dtype or device of whole outputs."""
    found = form_findings(outputs, sample.shapes, sample.drawn.case.dtype, device, call)
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
    total = prod(sample.shapes[0])
    seen = "" if mismatch.total == total else f" looked at, of {total:,}"
    return (
        f"{mismatch.wrong:,} of {mismatch.total:,} elements{seen}; "
        f"the first is {list(first)}: expected {mismatch.expected:.6g}, got {mismatch.got:.6g}."
    )


def _name(plan: Plan, point: PointJob) -> str:
    size = dict(zip(plan.puzzle.dims, point.shape, strict=True))[plan.sweep.axis]
    return f"{plan.sweep.axis} = {size:,}"
