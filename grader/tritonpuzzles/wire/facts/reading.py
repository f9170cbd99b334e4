"""Read facts that an engine sends: each field is of its type and bounded, or nothing is read."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from tritonpuzzles.results.check import plain
from tritonpuzzles.results.codes import CODES
from tritonpuzzles.wire.facts import Fact
from tritonpuzzles.wire.fields import WireError, read_flag, read_list, read_object, read_text, short

MOST_FACTS = 256  # of a case: some for each line of its kernels
MOST_ITEMS = 4_096  # of a list in a fact
MOST = 1 << 64
KINDS: Mapping[str, type] = {kind.__name__: kind for kind in get_args(Fact)}


def fact_told(fact: Fact) -> dict[str, Any]:
    """Return a fact as what `json` writes."""
    return {"fact": type(fact).__name__, **plain(fact)}


def facts_told(facts: Sequence[Fact]) -> list[dict[str, Any]]:
    """Return facts, as many as are read, as what `json` writes."""
    return [fact_told(fact) for fact in facts[:MOST_FACTS]]


def read_facts(data: Any) -> list[Fact]:
    """Read a list of facts.

    Raises:
        ValueError: it is none, has too many, or one that is none.
    """
    return [read_fact(item) for item in read_list(data, "the list of facts", MOST_FACTS)]


def read_fact(data: Any) -> Fact:
    """Read one fact.

    Raises:
        ValueError: it is none, or contradicts itself.
    """
    if not isinstance(data, dict) or not isinstance(data.get("fact"), str) or data["fact"] not in KINDS:
        raise WireError(f"{short(data)} is no fact")
    kind = KINDS[data["fact"]]
    found: Fact = _read(kind, {name: value for name, value in data.items() if name != "fact"})
    if found.code not in CODES:
        raise WireError(f"there is no finding {short(found.code)}")
    return found


def _read(kind: Any, data: Any) -> Any:
    """Return a value of a type as the classes of facts spell it."""
    inner = get_args(kind)
    if dataclasses.is_dataclass(kind):
        hints, names = get_type_hints(kind), tuple(one.name for one in dataclasses.fields(kind))
        told = read_object(data, "a fact", names)
        return kind(**{name: _read(hints[name], told[name]) for name in names})  # type: ignore[operator]
    match get_origin(kind):
        case origin if origin in (types.UnionType, Union):
            return None if data is None else _read(inner[0], data)
        case origin if origin is Literal:
            if data not in inner:
                raise WireError(f"{short(data)} is none of {', '.join(inner)}")
            return data
        case origin if origin is tuple:
            items = read_list(data, "a list in a fact", MOST_ITEMS)
            types_of: Sequence[Any] = [inner[0]] * len(items) if inner[-1] is ... else inner
            if len(types_of) != len(items):
                raise WireError(f"{len(items)} values stand where {len(types_of)} are expected")
            return tuple(_read(one, item) for one, item in zip(types_of, items, strict=True))
        case origin if origin is dict:
            named = read_list(list(data.items()) if isinstance(data, dict) else None, "an object in a fact", MOST_ITEMS)
            return {read_text(name): _read(inner[1], value) for name, value in named}
    return _READERS[kind](data)


def _number(data: Any) -> int:
    if type(data) is not int or abs(data) > MOST:
        raise WireError(f"{short(data) if type(data) is not int else 'a number'} is no whole number that fits")
    return data


_READERS: Mapping[Any, Callable[[Any], Any]] = {
    int: _number,
    str: read_text,
    bool: lambda data: read_flag(data, "a flag"),
    Any: lambda data: data,
}
