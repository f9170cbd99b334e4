"""Compare what a worker sent back with the golden results: form first, then NaN and infinities, then values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tritonpuzzles import where
from tritonpuzzles.judge.inputs import DrawnCase, dtype_of
from tritonpuzzles.judge.tolerances import Tolerance, root_mean_square
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
    """What comparing one case gave."""

    result: CaseResult
    findings: tuple[Finding, ...] = ()
    values: tuple[Tensor, ...] = ()  # float64, for the diagnosis; empty when the form was wrong


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
    values = tuple(_tensor(output) for output in outputs)
    results = [
        _compare_values(drawn, value, golden, tolerance, device)
        for value, golden, tolerance in zip(values, drawn.golden, tolerances, strict=True)
    ]
    worst = max(results, key=lambda result: (result.verdict is not Verdict.PASS, _ratio(result)))
    return Comparison(worst, (), values)


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
        return torch.empty(output.shape, dtype=torch.float64)
    flat = torch.frombuffer(bytearray(output.data), dtype=dtype_of(output.dtype))
    return flat.reshape(output.shape).double()


def _compare_values(drawn: DrawnCase, value: Tensor, golden: Tensor, tolerance: Tolerance, device: str) -> CaseResult:
    if not value.numel():
        return case_result(drawn, device, Verdict.PASS)
    error = (value - golden).abs()
    special = ~torch.isfinite(golden)
    limit = tolerance.element.expand_as(golden)
    wrong = _over_limit(value, golden, tolerance)
    ratio = torch.where(special, 0.0, error / limit.clamp_min(torch.finfo(torch.float64).tiny))
    worst = int(torch.where(torch.isnan(ratio), torch.inf, ratio).argmax())
    numbers = {"max_error": float(error.view(-1)[worst]), "tolerance": float(limit.reshape(-1)[worst])}
    if wrong.any():
        mismatch = _mismatch(value, golden, wrong.numpy())
        return case_result(drawn, device, Verdict.FAIL, mismatch=mismatch, **numbers)
    rms = root_mean_square(error.masked_fill(special, 0))
    if tolerance.rms is not None and not rms <= tolerance.rms:
        above = (error > tolerance.rms).numpy()
        numbers = {"max_error": rms, "tolerance": tolerance.rms}
        return case_result(drawn, device, Verdict.FAIL, mismatch=_mismatch(value, golden, above), **numbers)
    return case_result(drawn, device, Verdict.PASS, **numbers)


def wrong_elements(value: Tensor, golden: Tensor, tolerance: Tolerance) -> Tensor:
    """Return the elements that are over their limit; if none is, those that make the whole too inexact."""
    wrong = _over_limit(value, golden, tolerance)
    if tolerance.rms is None or wrong.any():
        return wrong
    error = (value - golden).abs().masked_fill(~torch.isfinite(golden), 0)
    return wrong if root_mean_square(error) <= tolerance.rms else error > tolerance.rms


def _over_limit(value: Tensor, golden: Tensor, tolerance: Tolerance) -> Tensor:
    same = torch.where(torch.isnan(golden), torch.isnan(value), value == golden)
    error = (value - golden).abs()
    return torch.where(torch.isfinite(golden), ~(error <= tolerance.element.expand_as(golden)), ~same)


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
