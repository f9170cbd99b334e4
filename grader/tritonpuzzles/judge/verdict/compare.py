"""Compare a worker's outputs with the golden results: form first, then NaN and infinities, then values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tritonpuzzles.judge.drawn import ANY, DrawnCase, Expected, widened
from tritonpuzzles.judge.evidence.fields import Output
from tritonpuzzles.judge.tolerances import Tolerance, deviation, row_sums_off, wrong_elements
from tritonpuzzles.results.check import CaseResult, Finding, Mismatch, Verdict
from tritonpuzzles.results.where import Region
from tritonpuzzles.results.words import article, plural
from tritonpuzzles.wire.drawing import dtype_of
from tritonpuzzles.wire.frames import ProtocolError

ALLOCATE = "Allocate the output with torch.empty_like(...) or torch.empty(...), launch on it, and return it."
ASKED_FOR = (
    "Ask ctx.needs_input_grad, which has a truth value for each argument of forward, and return the gradients in the "
    "same order."
)
CONTIGUOUS = "Allocate the output with torch.empty(...) in its own shape, and return it without `.t()` or a slice."
OUTPUT, GRADIENT_OF = "output", "gradient_of"  # in the details of a finding on the form
KEPT_ELEMENTS = 1 << 17  # of a widened output: larger ones are widened again each time


def form_findings(
    outputs: Sequence[Output], expected: Sequence[Expected], dtype: str, device: str, call: str
) -> list[Finding]:
    """Return what is wrong with the outputs' number, type, shape, dtype, device or strides."""
    if len(outputs) != len(expected):
        names = ", ".join(output.name for output in expected)
        text = f"{call} returns {plural(len(outputs), 'value')}; {len(expected)} expected: {names}."
        return [Finding("wrong-type", text, next_step=ALLOCATE)]
    return [
        replace(found, details={OUTPUT: wanted.name, **({GRADIENT_OF: wanted.of} if wanted.of else {})})
        for output, wanted in zip(outputs, expected, strict=True)
        for found in _of_one(output, wanted, dtype, device, call)
    ]


def _of_one(output: Output, wanted: Expected, dtype: str, device: str, call: str) -> Iterator[Finding]:
    name, returns = wanted.name, f"The backward pass of {call} returns" if wanted.of else f"{call} returns"
    if output.type != "Tensor":
        given = f"{article(output.type)} for {wanted.of}" if wanted.of else f"{article(output.type)} as {name}"
        text = f"{returns} {given}; a plain torch.Tensor of shape {wanted.shape} is expected."
        step = ASKED_FOR if wanted.of and output.type == "NoneType" else ALLOCATE
        yield Finding("wrong-type", text, next_step=step)
    elif output.shape != wanted.shape:
        step = "Allocate it with torch.empty(...) of that shape, with dtype= and device= of the input."
        text = f"{returns} {name} with shape {output.shape}; {wanted.shape} is expected."
        yield Finding("wrong-shape", text, next_step=step)
    elif wanted.dtype == ANY and not dtype_of(output.dtype).is_floating_point:
        text = f"{returns} {name} in {output.dtype}; a floating-point dtype is expected."
        yield Finding("wrong-dtype", text, next_step=ALLOCATE)
    elif output.dtype != (wanted.dtype or output.dtype):
        why = ", the inputs' own" if wanted.dtype == dtype else f", whatever the inputs' dtype ({dtype})"
        text = f"{returns} {name} in {output.dtype}; it must be {wanted.dtype}{why}."
        yield Finding("wrong-dtype", text, next_step=ALLOCATE)
    elif output.device.partition(":")[0] != device:
        text = f"{returns} {name} on {output.device}; the inputs are on {device}."
        yield Finding("wrong-device", text, next_step=ALLOCATE)
    elif wanted.contiguous and not output.contiguous:
        text = f"{returns} {name}, which is not contiguous; a contiguous tensor of shape {wanted.shape} is expected."
        yield Finding("wrong-strides", text, next_step=CONTIGUOUS)


@dataclass(frozen=True)
class Comparison:
    """The result of comparing one case."""

    result: CaseResult  # that of the worst output
    findings: tuple[Finding, ...] = ()
    outputs: tuple[Tensor, ...] = ()  # in their own dtype; empty when the form was wrong
    each: tuple[CaseResult, ...] = ()  # a result per output

    @property
    def wrong(self) -> tuple[int, ...]:
        """The indices of the outputs with wrong values."""
        return tuple(number for number, result in enumerate(self.each) if result.mismatch is not None)

    @property
    def values(self) -> tuple[Tensor, ...]:
        """The outputs widened, for the diagnosis; kept if they are small, because it reads them often."""
        small = all(output.numel() <= KEPT_ELEMENTS for output in self.outputs)
        return self._values if small else tuple(map(widened, self.outputs))

    @cached_property
    def _values(self) -> tuple[Tensor, ...]:
        return tuple(map(widened, self.outputs))


def compare(
    drawn: DrawnCase, outputs: Sequence[Output], tolerances: tuple[Tolerance, ...], device: str, call: str
) -> Comparison:
    """Judge the outputs of one case, each with its tolerance; `call` is the host function, for messages: "softmax(x)".

    Raises ProtocolError if an output's bytes do not fit its shape and dtype.
    """
    if (form := form_comparison(drawn, outputs, device, call)) is not None:
        return form
    if drawn.phantom or drawn.open:  # a phantom has no values; of an open case nobody knows them
        return Comparison(case_result(drawn, device, Verdict.PASS))
    tensors = tuple(_tensor(output) for output in outputs)
    compared = enumerate(zip(tensors, tolerances, strict=True))
    results = [_compare_values(drawn, number, *given, device) for number, given in compared]
    worst = max(results, key=lambda result: (result.verdict is not Verdict.PASS, _ratio(result)))
    return Comparison(worst, (), tensors, tuple(results))


def compare_rows(
    drawn: DrawnCase,
    outputs: Sequence[Output],
    pieces: Sequence[bytes],
    tolerances: tuple[Tolerance, ...],
    device: str,
    call: str,
) -> Comparison:
    """Judge some rows of a case, see `compare`; raises ProtocolError if the bytes do not fit the rows."""
    known = zip(outputs, drawn.outputs, pieces, strict=True)
    some = [replace(output, shape=wanted.shape, data=piece) for output, wanted, piece in known]
    return compare(drawn, some, tolerances, device, call)


def form_comparison(drawn: DrawnCase, outputs: Sequence[Output], device: str, call: str) -> Comparison | None:
    """Return the comparison of outputs whose form is wrong; `None` if the form is right. See `compare`."""
    findings = [] if drawn.open else form_findings(outputs, drawn.outputs, drawn.case.dtype, device, call)
    if not findings:
        return None
    named = tuple(replace(finding, case=drawn.name) for finding in findings)
    return Comparison(case_result(drawn, device, Verdict.FAIL), named)


def case_result(drawn: DrawnCase, device: str, verdict: Verdict, **numbers: Any) -> CaseResult:
    """Return a case's result, completed from the record."""
    case = drawn.case
    about = (case.name, drawn.shape, drawn.shown_dtype, verdict, case.why, case.layout_in_words, device)
    return CaseResult(*about, values=dict(drawn.values), **numbers)


def _tensor(output: Output) -> Tensor:
    if len(output.data) != math.prod(output.shape) * dtype_of(output.dtype).itemsize:
        raise ProtocolError(f"{len(output.data)} bytes arrived for an output of shape {output.shape}")
    if not output.data:
        return torch.empty(output.shape, dtype=dtype_of(output.dtype))
    data = output.data if isinstance(output.data, bytearray) else bytearray(output.data)  # torch wants it writable
    return torch.frombuffer(data, dtype=dtype_of(output.dtype)).reshape(output.shape)


def _compare_values(drawn: DrawnCase, number: int, given: Tensor, tolerance: Tolerance, device: str) -> CaseResult:
    golden = drawn.golden[number]
    if not given.numel():
        return case_result(drawn, device, Verdict.PASS)
    seen = deviation(given, golden, tolerance)
    numbers = {"max_error": seen.error, "tolerance": seen.limit}
    if not seen.wrong:
        beyond = _of_the_whole(given, tolerance, seen.rms)
        if beyond is None:
            return case_result(drawn, device, Verdict.PASS, **numbers)
        numbers = {"max_error": beyond[0], "tolerance": beyond[1]}
    wrong = wrong_elements(given, golden, tolerance).numpy()
    first, rows = tuple(int(i) for i in np.unravel_index(int(wrong.argmax()), wrong.shape)), drawn.rows
    mismatch = Mismatch(
        output=drawn.outputs[number].name,
        wrong=int(wrong.sum()),
        total=wrong.size,
        first=(rows[first[0]], *first[1:]) if rows else first,  # in indices of the whole output
        expected=golden[first].item(),
        got=widened(given[first]).item(),
        where=Region.of(wrong).words(("sampled row" if rows else "row", "column")),
    )
    return case_result(drawn, device, Verdict.FAIL, mismatch=mismatch, **numbers)


def _of_the_whole(given: Tensor, tolerance: Tolerance, rms: float) -> tuple[float, float] | None:
    """Return what is too far off, and its limit, though no element is: all elements together, or a row's sum."""
    if tolerance.rms is not None and rms > tolerance.rms:
        return rms, tolerance.rms
    if tolerance.sums is None:
        return None
    off = row_sums_off(given)
    row = int((off / tolerance.sums).nan_to_num(0.0).argmax())
    return (float(off[row]), float(tolerance.sums[row])) if off[row] > tolerance.sums[row] else None


def _ratio(result: CaseResult) -> float:
    if result.max_error is None or not result.tolerance:
        return 0.0
    return math.inf if math.isnan(result.max_error) else result.max_error / result.tolerance
