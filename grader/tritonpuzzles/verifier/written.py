"""Arguments in text, as a command line has them: `a=5x700:bf16`, `ids=128:int64:0..999`, `n=3`, `causal=none`.

Without torch, so that errors are reported at once. `drawn.drawn_calls` draws the tensors.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tritonpuzzles.decoding.marks import nearest

SHORT = {
    "fp64": "float64", "f64": "float64", "double": "float64", "fp32": "float32", "f32": "float32", "float": "float32",
    "fp16": "float16", "f16": "float16", "half": "float16", "bf16": "bfloat16",
    "fp8": "float8_e4m3fn", "fp8e4nv": "float8_e4m3fn", "e4m3": "float8_e4m3fn", "float8_e4m3": "float8_e4m3fn",
    "fp8e5": "float8_e5m2", "e5m2": "float8_e5m2",
    "i8": "int8", "i16": "int16", "i32": "int32", "int": "int32", "i64": "int64", "long": "int64", "u8": "uint8",
}  # fmt: skip
FLOATING = ("float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2")
WHOLE = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
DTYPES = (*FLOATING, *WHOLE, "bool")
FILLS = ("randn", "zeros", "ones", "arange")
FORMS = "a=5x700:bf16 is a tensor, a=700:f32 one of one axis, n=3 a number, flag=true, out=none, mode=str:relu"
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
_RANGE = re.compile(rf"({_NUMBER})\.\.({_NUMBER})", re.IGNORECASE)
_SHAPE = re.compile(r"(?:\d+(?:x\d+)*)?")


class NotReadError(ValueError):
    """A text that is no argument; the message says why, and shows valid forms."""


@dataclass(frozen=True)
class TensorText:
    """A tensor to be drawn."""

    shape: tuple[int, ...]  # of it
    dtype: str  # PyTorch's name of it
    fill: str | tuple[float, float]  # one of `FILLS`, or the lowest and the highest number that it may hold


@dataclass(frozen=True)
class DtypeText:
    """An argument that is a dtype itself."""

    name: str


Written = TensorText | DtypeText | bool | int | float | str | None
Call = Mapping[str, Written]  # by the names of a function's parameters


def argument(text: str) -> tuple[str, Written]:
    """Return the name and the value of `NAME=VALUE`; raises NotReadError if the text cannot be read."""
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise NotReadError(f"{text!r} is not of the form NAME=VALUE: {FORMS}.")
    return name, _value(text, value)


def _value(text: str, value: str) -> Written:
    words: Mapping[str, bool | None] = {"true": True, "false": False, "none": None, "null": None}
    if value.lower() in words:
        return words[value.lower()]
    if value.startswith("str:"):
        return value.removeprefix("str:")
    readers: tuple[Callable[[str], int | float], ...] = (int, float)
    for read in readers:
        try:
            return read(value)
        except ValueError:
            continue
    shape, *rest = value.split(":")
    if not rest and (known := _known(value)) is not None:
        return DtypeText(known)
    if not _SHAPE.fullmatch(shape) or len(rest) > 2 or not value:
        raise NotReadError(f"{text!r} cannot be read: {FORMS}.")
    dtype = _dtype(rest[0]) if rest else "float32"
    sizes = tuple(map(int, shape.split("x"))) if shape else ()
    return TensorText(sizes, dtype, _fill(text, dtype, rest[1] if len(rest) > 1 else ""))


def _known(name: str) -> str | None:
    full = SHORT.get(name, name).removeprefix("torch.")
    return full if full in DTYPES else None


def _dtype(name: str) -> str:
    found = _known(name)
    if found is None:
        raise NotReadError(f"There is no dtype {name!r}.{nearest(name, DTYPES)}")
    return found


def _fill(text: str, dtype: str, fill: str) -> str | tuple[float, float]:
    """Return how a tensor is filled: by default with normally distributed numbers; integers have no default."""
    if dtype == "bool" and not fill:
        return 0.0, 1.0
    if found := _RANGE.fullmatch(fill):
        low, high = float(found[1]), float(found[2])
        if low > high:
            raise NotReadError(f"{text!r}: {found[1]} is more than {found[2]}.")
        return low, high
    usable = FILLS if dtype in FLOATING else FILLS[1:]
    if not fill and dtype in FLOATING:
        return FILLS[0]
    if not fill:
        raise NotReadError(f"What does {text!r} hold? Say it, such as {text}:0..9; {', '.join(usable)} can be, too.")
    if fill not in usable:
        raise NotReadError(f"Nothing of {dtype} is filled by {fill!r}: {', '.join(usable)}, or a range such as 0..9.")
    return fill
