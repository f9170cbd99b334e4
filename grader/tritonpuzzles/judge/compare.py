"""Compare what a worker sent back with the golden results: form first, then NaN and infinities, then values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tritonpuzzles import where
from tritonpuzzles.judge.deviation import deviation, wrong_elements
from tritonpuzzles.judge.inputs import DrawnCase, dtype_of
from tritonpuzzles.judge.tolerances import Tolerance
from tritonpuzzles.results import CaseResult, Finding, Mismatch, Verdict


@dataclass(frozen=True)
class Output:
    """One output as the worker described it, and its bytes.

    Attributes:
        type: the Python type's name; only a plain "Tensor" is accepted.
        shape, dtype, device: as the worker's torch said.
        data: contiguous elements, or nothing if the form was already wrong.
    """

    type: str
    shape: tuple[int, ...] = ()
    dtype: str = ""
    device: str = ""
    data: bytes = b""

    @staticmethod
    def from_header(header: dict[str, Any], data: bytes) -> Output:
        """Read a worker's description.

        Raises:
            ValueError: if it is not of the expected form.
        """
        shape = tuple(header.get("shape", ()))
        if len(shape) > 16 or not all(isinstance(n, int) and n >= 0 for n in shape):
            raise ValueError(f"an output's shape is {shape!r}")
        words = {key: str(header.get(key, ""))[:80] for key in ("type", "dtype", "device")}
        return Output(words["type"], shape, words["dtype"], words["device"], data)


@dataclass(frozen=True)
class Comparison:
    """What comparing one case gave.

    Attributes:
        outputs: in their own dtype; empty when the form was wrong.
    """

    result: CaseResult
    findings: tuple[Finding, ...] = ()
    outputs: tuple[Tensor, ...] = ()

    @cached_property
    def values(self) -> tuple[Tensor, ...]:
        """The outputs in float64, for the diagnosis."""
        return tuple(output.double() for output in self.outputs)


def compare(
    drawn: DrawnCase, outputs: list[Output], tolerances: tuple[Tolerance, ...], device: str, call: str
) -> Comparison:
    """Judge one case.

    Args:
        drawn: the case with its golden results.
        outputs: what the host function returned.
        tolerances: one per output.
        device: "cpu" or "cuda", where the case ran.
        call: the host function, for messages: "softmax(x)".
    """
    findings = form_findings(drawn, outputs, device, call)
    if findings:
        return Comparison(case_result(drawn, device, Verdict.FAIL), tuple(findings))
    tensors = tuple(_tensor(output) for output in outputs)
    results = [
        _compare_values(drawn, tensor, golden, tolerance, device)
        for tensor, golden, tolerance in zip(tensors, drawn.golden, tolerances, strict=True)
    ]
    worst = max(results, key=lambda result: (result.verdict is not Verdict.PASS, _ratio(result)))
    return Comparison(worst, (), tensors)


def case_result(drawn: DrawnCase, device: str, verdict: Verdict, **numbers: Any) -> CaseResult:
    """Return a case's result with what the record says of it filled in."""
    case = drawn.case
    return CaseResult(case.name, drawn.shape, case.dtype, verdict, case.why, case.layout, device, **numbers)


def form_findings(drawn: DrawnCase, outputs: list[Output], device: str, call: str) -> list[Finding]:
    """Return what is wrong with the outputs' number, type, shape, dtype or device."""
    if len(outputs) != len(drawn.golden):
        return [_form(drawn, "wrong-type", f"{call} returns {len(outputs)} values; {len(drawn.golden)} expected.")]
    found = []
    for output, golden in zip(outputs, drawn.golden, strict=True):
        shape = tuple(golden.shape)
        if output.type != "Tensor":
            text = f"{call} returns {_article(output.type)}; a plain torch.Tensor of shape {shape} is expected."
            found.append(_form(drawn, "wrong-type", text))
        elif output.shape != shape:
            found.append(_form(drawn, "wrong-shape", f"{call} returns shape {output.shape}; {shape} is expected."))
        elif output.dtype != drawn.case.dtype:
            text = f"{call} returns {output.dtype} for {drawn.case.dtype} inputs; the dtype must be the inputs' own."
            found.append(_form(drawn, "wrong-dtype", text))
        elif output.device.partition(":")[0] != device:
            text = f"{call} returns a tensor on {output.device}; the inputs are on {device}."
            found.append(_form(drawn, "wrong-device", text))
        elif len(output.data) != golden.numel() * drawn.dtype.itemsize:
            raise ValueError(f"{len(output.data)} bytes arrived for an output of shape {shape}")
    return found


def _form(drawn: DrawnCase, code: str, message: str) -> Finding:
    step = "Allocate the output with torch.empty_like(...) or torch.empty(...), launch on it, and return it."
    return Finding(code, message, case=drawn.name, next_step=step)


def _article(name: str) -> str:
    if name == "NoneType":
        return "None"
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def _tensor(output: Output) -> Tensor:
    if not output.data:
        return torch.empty(output.shape, dtype=dtype_of(output.dtype))
    return torch.frombuffer(bytearray(output.data), dtype=dtype_of(output.dtype)).reshape(output.shape)


def _compare_values(drawn: DrawnCase, given: Tensor, golden: Tensor, tolerance: Tolerance, device: str) -> CaseResult:
    if not given.numel():
        return case_result(drawn, device, Verdict.PASS)
    seen = deviation(given, golden, tolerance)
    numbers = {"max_error": seen.error, "tolerance": seen.limit}
    if not seen.wrong:
        if tolerance.rms is None or seen.rms <= tolerance.rms:
            return case_result(drawn, device, Verdict.PASS, **numbers)
        numbers = {"max_error": seen.rms, "tolerance": tolerance.rms}
    mismatch = _mismatch(given, golden, wrong_elements(given, golden, tolerance).numpy())
    return case_result(drawn, device, Verdict.FAIL, mismatch=mismatch, **numbers)


def _mismatch(value: Tensor, golden: Tensor, wrong: np.ndarray[Any, np.dtype[np.bool_]]) -> Mismatch:
    first = tuple(int(i) for i in np.unravel_index(int(wrong.argmax()), wrong.shape))
    return Mismatch(
        wrong=int(wrong.sum()),
        total=wrong.size,
        first=first,
        expected=float(golden[first]),
        got=float(value[first]),
        where=where.describe(wrong),
    )


def _ratio(result: CaseResult) -> float:
    if result.max_error is None or not result.tolerance:
        return 0.0
    return math.inf if math.isnan(result.max_error) else result.max_error / result.tolerance
