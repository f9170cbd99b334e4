"""The form of what a host function returns: how many, of which type, shape and dtype, on which device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tritonpuzzles.results import Finding


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


def form_findings(
    outputs: Sequence[Output], shapes: Sequence[tuple[int, ...]], dtype: str, device: str, call: str
) -> list[Finding]:
    """Return what is wrong with the outputs' number, type, shape, dtype or device.

    Args:
        outputs: as the worker described them.
        shapes: that they must have.
        dtype: of the inputs, which is the outputs' too: "float16".
        device: "cpu" or "cuda".
        call: the host function, for messages.
    """
    if len(outputs) != len(shapes):
        return [_form("wrong-type", f"{call} returns {len(outputs)} values; {len(shapes)} expected.")]
    found = []
    for output, shape in zip(outputs, shapes, strict=True):
        if output.type != "Tensor":
            text = f"{call} returns {_article(output.type)}; a plain torch.Tensor of shape {shape} is expected."
            found.append(_form("wrong-type", text))
        elif output.shape != shape:
            found.append(_form("wrong-shape", f"{call} returns shape {output.shape}; {shape} is expected."))
        elif output.dtype != dtype:
            text = f"{call} returns {output.dtype} for {dtype} inputs; the dtype must be the inputs' own."
            found.append(_form("wrong-dtype", text))
        elif output.device.partition(":")[0] != device:
            text = f"{call} returns a tensor on {output.device}; the inputs are on {device}."
            found.append(_form("wrong-device", text))
    return found


def _form(code: str, message: str) -> Finding:
    step = "Allocate the output with torch.empty_like(...) or torch.empty(...), launch on it, and return it."
    return Finding(code, message, next_step=step)


def _article(name: str) -> str:
    if name == "NoneType":
        return "None"
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
