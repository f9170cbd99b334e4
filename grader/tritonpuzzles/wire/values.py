"""The values of names in a kernel, described in JSON: constants, parts of Triton, other kernels, modules.

Does not import torch or triton. The reader trusts nothing: it raises for an unknown key or a number out of range.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from tritonpuzzles.decoding.marks import Between, Checked, Kinds, Length, Only, distinct, identifier, short
from tritonpuzzles.wire.fields import MAX_NAME, Dotted, Name, matching

MAX_DEPTH = 12  # values inside values
MAX_ITEMS = 1024  # of one tuple, list or module
MAX_BITS = 128  # of an integer
_NON_FINITE = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def _number(value: int) -> int:
    if value.bit_length() > MAX_BITS:
        raise ValueError(f"an integer has {value.bit_length():,} bits; the most is {MAX_BITS}")
    return value


def _name_or_none(name: str) -> str:
    return identifier(name) if name else name


def _non_finite(name: str) -> Constant:
    if name not in _NON_FINITE:
        raise ValueError(f"{short(name)} is no float that JSON lacks")
    return Constant(_NON_FINITE[name])


@dataclass(frozen=True)
class Constant:
    """A number, truth value, text or `None`."""

    value: bool | Annotated[int, Checked(_number)] | float | str | None


@dataclass(frozen=True)
class Items:
    """A tuple; a list becomes one too, so that a kernel cannot change it and keep state between launches."""

    items: Annotated[tuple[Value, ...], Length(MAX_ITEMS)]


@dataclass(frozen=True)
class Constexpr:
    """A `tl.constexpr` of something."""

    value: Value


@dataclass(frozen=True)
class Dtype:
    """A dtype by Triton's short name: "fp32"; a pointer to one is "*fp32"."""

    name: Annotated[str, matching(r"\*{0,4}[a-z][a-z0-9]{1,15}", "dtype")]


@dataclass(frozen=True)
class Language:
    """An object of Triton by its dotted name: "triton.language", "triton.language.core.load"."""

    name: Dotted


@dataclass(frozen=True)
class Python:
    """Python's `math`, a member of it, or a builtin: "builtins.min"."""

    name: Dotted


@dataclass(frozen=True)
class KernelAt:
    """Another kernel of the same table, or a constexpr function."""

    index: Annotated[int, Between(0, 1 << 16)]


@dataclass(frozen=True)
class Module:
    """A module, with those of its attributes that kernels use."""

    name: Dotted
    attributes: Names


@dataclass(frozen=True)
class TupleClass:
    """A NamedTuple class without methods of its own."""

    name: Name
    fields: Annotated[tuple[Name, ...], Length(64), Checked(distinct)]


@dataclass(frozen=True)
class Unknown:
    """An object that cannot be described; Triton's compiler will report an error for it."""

    type: Name  # name of its type: "list", "function"; "type" for every class
    # its own name, or the empty string
    name: Annotated[str, Length(MAX_NAME), Checked(_name_or_none)] = ""
    callable: bool = False  # whether it can be called


def _kinds() -> Mapping[str, Any]:
    return {
        "float": Annotated[str, Checked(_non_finite)],
        "tuple": Annotated[Items, Only("items")],
        "constexpr": Annotated[Constexpr, Only("value")],
        "dtype": Annotated[Dtype, Only("name")],
        "language": Annotated[Language, Only("name")],
        "python": Annotated[Python, Only("name")],
        "kernel": Annotated[KernelAt, Only("index")],
        "module": Module,
        "namedtuple": TupleClass,
        "unknown": Unknown,
    }


Value = Annotated[
    Constant | Items | Constexpr | Dtype | Language | Python | KernelAt | Module | TupleClass | Unknown,
    Kinds(_kinds, MAX_DEPTH, Annotated[Constant, Only("value")]),
]
Names = Annotated[dict[Name, Value], Length(MAX_ITEMS)]


def value_to_json(value: Value) -> Any:
    """Return JSON-ready data for `RECORDED`."""
    match value:
        case Constant(float() as number) if not math.isfinite(number):
            return {"float": str(number)}
        case Constant(plain):
            return plain
        case Items(items):
            return {"tuple": [value_to_json(item) for item in items]}
        case Constexpr(inner):
            return {"constexpr": value_to_json(inner)}
        case Module(name, attributes):
            inside = {key: value_to_json(item) for key, item in attributes.items()}
            return {"module": {"name": name, "attributes": inside}}
        case KernelAt(index):
            return {"kernel": index}
        case TupleClass(name, fields):
            return {"namedtuple": {"name": name, "fields": list(fields)}}
        case Unknown(kind, name, called):
            return {"unknown": {"type": kind, "name": name, "callable": called}}
        case Dtype() | Language() | Python():
            return {type(value).__name__.lower(): value.name}
