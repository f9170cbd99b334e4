"""The form of what a host function returns: how many, of which type, shape and dtype, on which device."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tritonpuzzles.judge.drawn import Expected
from tritonpuzzles.judge.evidence.outputs import Output
from tritonpuzzles.judge.verdict.returned import GRADIENT_OF, OUTPUT
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.words import article, plural

ALLOCATE = "Allocate the output with torch.empty_like(...) or torch.empty(...), launch on it, and return it."
ASKED_FOR = (
    "Ask ctx.needs_input_grad, which has a truth value for each argument of forward, and return the gradients in the "
    "same order."
)


def form_findings(
    outputs: Sequence[Output], expected: Sequence[Expected], dtype: str, device: str, call: str
) -> list[Finding]:
    """Return what is wrong with the outputs' number, type, shape, dtype or device.

    Args:
        outputs: as the worker described them.
        expected: what they must be like.
        dtype: of the case, for the words: "float16".
        device: "cpu" or "cuda".
        call: the host function, for messages.
    """
    if len(outputs) != len(expected):
        names = ", ".join(output.name for output in expected)
        return [
            _form("wrong-type", f"{call} returns {plural(len(outputs), 'value')}; {len(expected)} expected: {names}.")
        ]
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
    elif output.dtype != wanted.dtype:
        why = ", the inputs' own" if wanted.dtype == dtype else f", whatever the inputs' dtype ({dtype})"
        yield _form("wrong-dtype", f"{returns} {name} in {output.dtype}; it must be {wanted.dtype}{why}.")
    elif output.device.partition(":")[0] != device:
        yield _form("wrong-device", f"{returns} {name} on {output.device}; the inputs are on {device}.")


def _form(code: str, message: str) -> Finding:
    return Finding(code, message, next_step=ALLOCATE)
