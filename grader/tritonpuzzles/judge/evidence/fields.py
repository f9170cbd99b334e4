"""Read the fields of a worker's frames with suspicion, each checked for its type and bounded in size; outputs, too."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

from tritonpuzzles.decoding.decoder import Decoder
from tritonpuzzles.decoding.marks import Between, Length
from tritonpuzzles.results.codes import CODES

MAX_TEXT = 2000
MAX_NAME = 80
MAX_ITEMS = 20_000
MAX_COUNT = 1 << 62
SENT = Decoder(
    MAX_TEXT, MAX_ITEMS, Between(0, MAX_COUNT), whole=True, closed=False, cuts=True, encodable=False
)  # a header has keys beside the part that is read; a path is what the system gives

Short = Annotated[str, Length(MAX_NAME)]
Whole = Annotated[int, Between(-math.inf, math.inf)]
Positive = Annotated[float, Between(math.ulp(0.0), math.inf)]
MAX_OUTPUTS = 16
MAX_DIMENSIONS = 16


def text(value: Any) -> str:
    """Return text, cut at `MAX_TEXT` characters; raises TypeError for anything else."""
    if not isinstance(value, str):
        raise TypeError(f"text is expected, not {type(value).__name__}")
    return value[:MAX_TEXT]


def optional_text(value: Any) -> str | None:
    """Return text or `None`."""
    return None if value is None else text(value)


def count(value: Any) -> int:
    """Return a whole number from 0 to `MAX_COUNT`; raises TypeError for anything else."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_COUNT:
        raise TypeError(f"a count is expected, not {value!r:.80}")
    return value


def optional_count(value: Any) -> int | None:
    """Return a count or `None`."""
    return None if value is None else count(value)


def items(value: Any) -> list[Any]:
    """Return a list of at most `MAX_ITEMS`; raises TypeError for anything else, ValueError for a longer one."""
    if not isinstance(value, list):
        raise TypeError(f"a list is expected, not {type(value).__name__}")
    if len(value) > MAX_ITEMS:
        raise ValueError(f"a list has {len(value):,} items; the most is {MAX_ITEMS:,}")
    return value


def tables(value: Any) -> list[dict[str, Any]]:
    """Return a list of JSON objects; raises as `items` does, and TypeError for other objects."""
    found = items(value)
    if not all(isinstance(item, dict) for item in found):
        raise TypeError("a list of objects is expected")
    return found


def table(value: Any) -> dict[str, Any]:
    """Return a JSON object; raises TypeError for anything else."""
    if not isinstance(value, dict):
        raise TypeError(f"an object is expected, not {type(value).__name__}")
    return value


def known_code(value: Any) -> str:
    """Return the code of a finding; raises ValueError for one that no part of the grader gives."""
    if text(value) not in CODES:
        raise ValueError(f"there is no finding {value!r:.80}")
    return str(value)


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
