"""What a name in a kernel stands for, said in JSON: constants, parts of Triton, other kernels, modules.

Free of torch and triton. The reader believes nothing: one unknown key, one number too large, and it raises.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tritonpuzzles.wire.fields import (
    WireError,
    read_count,
    read_dotted,
    read_flag,
    read_identifier,
    read_list,
    read_object,
    read_text,
    short,
)

MAX_DEPTH = 12  # values inside values
MAX_ITEMS = 1024  # of one tuple, list or module
MAX_BITS = 128  # of an integer
_NON_FINITE = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
_DTYPE = re.compile(r"\*{0,4}[a-z][a-z0-9]{1,15}")


@dataclass(frozen=True)
class Constant:
    """A number, truth value, text or `None`."""

    value: bool | int | float | str | None


@dataclass(frozen=True)
class Items:
    """A tuple, and what was a list: a kernel cannot change one, so that nothing is kept in it between launches."""

    items: tuple[Value, ...]


@dataclass(frozen=True)
class Constexpr:
    """A `tl.constexpr` of something."""

    value: Value


@dataclass(frozen=True)
class Dtype:
    """A dtype by Triton's short name: "fp32"; a pointer to one is "*fp32"."""

    name: str


@dataclass(frozen=True)
class Language:
    """Something of Triton by its dotted name: "triton.language", "triton.language.core.load"."""

    name: str


@dataclass(frozen=True)
class Python:
    """Python's `math`, a function of it, or a builtin that goes by another name: "builtins.min"."""

    name: str


@dataclass(frozen=True)
class KernelAt:
    """Another kernel of the same table, or a constexpr function."""

    index: int


@dataclass(frozen=True)
class Module:
    """A module, with those of its attributes that kernels use."""

    name: str
    attributes: dict[str, Value]


@dataclass(frozen=True)
class TupleClass:
    """A NamedTuple class without methods of its own."""

    name: str
    fields: tuple[str, ...]


@dataclass(frozen=True)
class Unknown:
    """Something that does not travel; Triton's compiler says what is wrong with it.

    Attributes:
        type: name of its type: "list", "function"; "type" for every class.
        name: its own, or the empty string.
        callable: whether it can be called.
    """

    type: str
    name: str = ""
    callable: bool = False


Value = Constant | Items | Constexpr | Dtype | Language | Python | KernelAt | Module | TupleClass | Unknown


def value_to_json(value: Value) -> Any:
    """Return JSON-ready data for `read_value`."""
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


def read_value(data: Any, depth: int = 0) -> Value:
    """Read what `value_to_json` writes.

    Raises:
        WireError: for anything else.
    """
    if depth > MAX_DEPTH:
        raise WireError(f"a value is nested more than {MAX_DEPTH} deep")
    if not isinstance(data, dict):
        return Constant(_plain(data))
    if len(data) != 1 or next(iter(data)) not in _READERS:
        raise WireError(f"a value of the kind {short(sorted(map(str, data)))} is not known")
    ((kind, inner),) = data.items()
    return _READERS[kind](inner, depth + 1)


def read_names(data: Any, depth: int = 0) -> dict[str, Value]:
    """Read a JSON object of names and values.

    Raises:
        WireError: for anything else.
    """
    if not isinstance(data, dict):
        raise WireError(f"names are a {type(data).__name__} and no object")
    if len(data) > MAX_ITEMS:
        raise WireError(f"there are {len(data):,} names; the most is {MAX_ITEMS:,}")
    return {read_identifier(name): read_value(item, depth) for name, item in data.items()}


def _plain(data: Any) -> bool | int | float | str | None:
    if data is None or isinstance(data, bool):
        return data
    if isinstance(data, int):
        if data.bit_length() > MAX_BITS:
            raise WireError(f"an integer has {data.bit_length():,} bits; the most is {MAX_BITS}")
        return data
    if isinstance(data, float) and math.isfinite(data):
        return data
    if isinstance(data, str):
        return read_text(data)
    raise WireError(f"a {type(data).__name__} stands where a value is expected")


def _float(data: Any, depth: int) -> Constant:
    if not isinstance(data, str) or data not in _NON_FINITE:
        raise WireError(f"{short(data)} is no float that JSON lacks")
    return Constant(_NON_FINITE[data])


def _items(data: Any, depth: int) -> Items:
    return Items(tuple(read_value(item, depth) for item in read_list(data, "a tuple", MAX_ITEMS)))


def _kernel(data: Any, depth: int) -> KernelAt:
    return KernelAt(read_count(data, "the index of a kernel", 1 << 16))


def _dtype(data: Any, depth: int) -> Dtype:
    if not isinstance(data, str) or not _DTYPE.fullmatch(data):
        raise WireError(f"{short(data)} is no dtype")
    return Dtype(data)


def _module(data: Any, depth: int) -> Module:
    fields = read_object(data, "a module", ("name", "attributes"))
    return Module(read_dotted(fields["name"]), read_names(fields["attributes"], depth))


def _namedtuple(data: Any, depth: int) -> TupleClass:
    fields = read_object(data, "a namedtuple", ("name", "fields"))
    names = tuple(read_identifier(item) for item in read_list(fields["fields"], "the fields of a namedtuple", 64))
    if len(set(names)) < len(names):
        raise WireError(f"the namedtuple {short(fields['name'])} has a field twice")
    return TupleClass(read_identifier(fields["name"]), names)


def _unknown(data: Any, depth: int) -> Unknown:
    fields = read_object(data, "something unknown", ("type", "name", "callable"))
    name = fields["name"]
    return Unknown(
        read_identifier(fields["type"]),
        "" if name == "" else read_identifier(name),
        read_flag(fields["callable"], "callable"),
    )


_READERS: dict[str, Callable[[Any, int], Value]] = {
    "float": _float,
    "tuple": _items,
    "constexpr": lambda data, depth: Constexpr(read_value(data, depth)),
    "dtype": _dtype,
    "language": lambda data, depth: Language(read_dotted(data)),
    "python": lambda data, depth: Python(read_dotted(data)),
    "kernel": _kernel,
    "module": _module,
    "namedtuple": _namedtuple,
    "unknown": _unknown,
}
