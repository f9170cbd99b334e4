"""Limits on the contents of a worker's frames, and the outputs in them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

from tritonpuzzles.decoding.decoder import Decoder
from tritonpuzzles.decoding.marks import Between, Length

MAX_TEXT = 2000
MAX_NAME = 80
MAX_ITEMS = 20_000
MAX_COUNT = 1 << 62
SENT = Decoder(
    MAX_TEXT, MAX_ITEMS, Between(0, MAX_COUNT), whole=True, closed=False, cuts=True, encodable=False
)  # a header has keys beside the part that is read; paths are as the system gives them

Short = Annotated[str, Length(MAX_NAME)]
Positive = Annotated[float, Between(math.ulp(0.0), math.inf)]
NotNegative = Annotated[float, Between(0.0, math.inf)]
MAX_OUTPUTS = 16
MAX_DIMENSIONS = 16


@dataclass(frozen=True)
class Output:
    """One output as the worker described it, and its bytes."""

    type: Short  # the Python type's name; only a plain "Tensor" is accepted
    shape: Annotated[tuple[int, ...], Length(MAX_DIMENSIONS)] = ()  # and dtype, device: as reported by the worker
    dtype: Short = ""
    device: Short = ""
    # its elements, row by row; empty if the form was already wrong. Nothing writes to them: they are compared in place
    data: bytes | bytearray = b""
    contiguous: bool = True  # in the worker's memory


@dataclass(frozen=True)
class _Sized:
    """The number of payload bytes that belong to an output."""

    nbytes: int


def outputs(headers: Any, payload: bytes) -> list[Output]:
    """Cut a payload into outputs as their headers say.

    Raises DecodeError if the headers are not of the expected form.
    """
    found, offset, sent = [], 0, memoryview(payload)
    sizes = SENT.read(Annotated[list[_Sized], Length(MAX_OUTPUTS)], headers)
    for header, size in zip(headers, sizes, strict=True):
        data = bytearray(sent[offset : offset + size.nbytes])
        found.append(SENT.read(Output, header, data=data))
        offset += size.nbytes
    return found
