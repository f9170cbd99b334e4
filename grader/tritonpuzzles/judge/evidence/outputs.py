"""What a host function returned, as the worker described it: type, shape, dtype, device and bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tritonpuzzles.judge.evidence.fields import count, items, tables

MAX_OUTPUTS = 16
MAX_DIMENSIONS = 16


@dataclass(frozen=True)
class Output:
    """One output as the worker described it, and its bytes.

    Attributes:
        type: the Python type's name; only a plain "Tensor" is accepted.
        shape, dtype, device: as the worker's torch said.
        data: contiguous elements, or nothing if the form was already wrong. Nobody writes to them: they are compared
            where they lie.
    """

    type: str
    shape: tuple[int, ...] = ()
    dtype: str = ""
    device: str = ""
    data: bytes | bytearray = b""

    @staticmethod
    def from_header(header: dict[str, Any], data: bytes | bytearray) -> Output:
        """Read a worker's description.

        Raises:
            ValueError, TypeError: if it is not of the expected form.
        """
        shape = tuple(count(size) for size in items(header.get("shape", [])))
        if len(shape) > MAX_DIMENSIONS:
            raise ValueError(f"an output has {len(shape)} dimensions")
        words = {key: str(header.get(key, ""))[:80] for key in ("type", "dtype", "device")}
        return Output(words["type"], shape, words["dtype"], words["device"], data)


def outputs(headers: Any, payload: bytes) -> list[Output]:
    """Cut a payload into outputs as their headers say.

    Raises:
        ValueError, TypeError, KeyError: if the headers are not of the expected form.
    """
    if not isinstance(headers, list) or len(headers) > MAX_OUTPUTS:
        raise ValueError("the outputs are not a short list")
    found, offset, sent = [], 0, memoryview(payload)
    for header in tables(headers):
        size = count(header["nbytes"])
        found.append(Output.from_header(header, bytearray(sent[offset : offset + size])))
        offset += size
    return found
