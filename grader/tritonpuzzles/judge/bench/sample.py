"""Check a timed output without having it: some of its rows, chosen after the worker has said what the time was.

Which rows, and what they must be, is `judge/sample.py`'s. The numbers change before the last timed call, so that a
kernel which leaves out work when it is timed, or a kept answer, is found as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

import torch

from tritonpuzzles.curriculum.call import Call
from tritonpuzzles.curriculum.record import Case
from tritonpuzzles.judge.authors import of_shape
from tritonpuzzles.judge.bench.plan import Plan
from tritonpuzzles.judge.drawn import DrawnCase, Expected
from tritonpuzzles.judge.evidence.outputs import Output
from tritonpuzzles.judge.inputs import expected_outputs
from tritonpuzzles.judge.sample import rows_to_look_at, with_rows
from tritonpuzzles.judge.tolerances import Tolerance
from tritonpuzzles.judge.verdict.compare import compare_rows
from tritonpuzzles.judge.verdict.form import form_findings
from tritonpuzzles.results.check import Finding, Mismatch, Verdict
from tritonpuzzles.wire.job import PointJob


@dataclass(frozen=True)
class Sample:
    """Some rows of the truth.

    Attributes:
        drawn: a case of which just these rows are known, on the CPU.
        tolerances: one per output.
        whole: what the whole outputs must be like.
    """

    drawn: DrawnCase
    tolerances: tuple[Tolerance, ...]
    whole: tuple[Expected, ...]

    @property
    def rows(self) -> tuple[int, ...]:
        """Their numbers, rising."""
        return self.drawn.rows

    @property
    def nbytes(self) -> int:
        """Bytes of these rows of all outputs."""
        return sum(output.nbytes for output in self.drawn.outputs)


def draw_sample(plan: Plan, index: int, device: torch.device, rows: Sequence[int] | None = None) -> Sample:
    """Compute what some rows of the outputs must be.

    Args:
        plan: whose puzzle knows the truth.
        index: of the point, whose second numbers the worker checked on.
        device: on which the worker drew.
        rows: to compute; some that nobody can know if `None`.

    Raises:
        RecordError: if a family or the reference does not fit the record at this size.
    """
    job = plan.job(None)
    point = job.points[index]
    dims = dict(zip(plan.puzzle.dims, point.shape, strict=True))
    case = Case(_name(plan, point), "", plan.family, point.shape, plan.dtype)
    whole = expected_outputs(plan.puzzle, case, dims, plan.values)
    timed = DrawnCase(
        case=case,
        shape=point.shape,
        dims=dims,
        tensors={},
        outputs=whole,
        golden=(),
        values=plan.values,
        drawing=job.drawing(index, point.check_seed),
        drawn_on=device.type,
        against=tuple(argument.name for argument in Call(plan.puzzle, case).against),
        able=Call(plan.puzzle, case).able,
    )
    drawn, tolerances = with_rows(plan.puzzle, timed, rows or rows_to_look_at(whole), of_shape(point.shape))
    return Sample(drawn, tolerances, whole)


def form_finding(sample: Sample, outputs: Sequence[Output], device: str, call: str) -> Finding | None:
    """Return what is wrong with the number, type, shape, dtype or device of whole outputs."""
    found = form_findings(outputs, sample.whole, sample.drawn.case.dtype, device, call)
    return replace(found[0], case=sample.drawn.name) if found else None


def value_finding(sample: Sample, outputs: Sequence[Output], pieces: Sequence[bytes], call: str) -> Finding | None:
    """Return what is wrong with the values of the chosen rows.

    Raises:
        ValueError: if the bytes are not those of the rows.
    """
    device = outputs[0].device.partition(":")[0]
    found = compare_rows(sample.drawn, outputs, pieces, sample.tolerances, device, call)
    if found.result.verdict is Verdict.PASS:
        return None
    text = f"The result is wrong at {sample.drawn.name}, in the very call that was timed"
    mismatch = found.result.mismatch
    if mismatch is None:
        return Finding("wrong-values", f"{text}.", case=sample.drawn.name)
    return Finding("wrong-values", f"{text}: {_words(sample, mismatch)}", case=sample.drawn.name)


def _words(sample: Sample, mismatch: Mismatch) -> str:
    total = next(prod(output.shape) for output in sample.whole if output.name == mismatch.output)
    seen = "" if mismatch.total == total else f" looked at, of {total:,}"
    return (
        f"{mismatch.wrong:,} of {mismatch.total:,} elements of {mismatch.output}{seen}; "
        f"the first is {list(mismatch.first)}: expected {_shown(mismatch.expected)}, got {_shown(mismatch.got)}."
    )


def _shown(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.6g}"


def _name(plan: Plan, point: PointJob) -> str:
    size = dict(zip(plan.puzzle.dims, point.shape, strict=True))[plan.bench.axis]
    return f"{plan.bench.axis} = {size:,}"
