"""Readers of single values, and of lists and objects of them: each returns the data, or raises DecodeError."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable
from itertools import repeat
from typing import Any

from tritonpuzzles.decoding.marks import Between, DecodeError, Kinds, Length, UnknownWordError, nearest, short

MAX_FLOAT = sys.float_info.max  # Python compares it with whole numbers exactly
Trail = tuple[Kinds, ...]  # the `Kinds` around a value, the outermost first
Read = Callable[[Any, Trail], Any]
WORDS: dict[Any, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    type(None): "nothing",
}


def texts(length: Length, cuts: bool, encodable: bool) -> Read:
    """Return the reader of a text; one that is too long is cut or refused."""

    def read(data: Any, trail: Trail) -> str:
        if not isinstance(data, str):
            raise DecodeError(f"is {short(data)}; text is expected")
        if len(data) > length.most and not cuts:
            raise DecodeError(f"a text has {len(data):,} characters; the most is {length.most:,}")
        if encodable and not data.isascii() and any("\ud800" <= letter <= "\udfff" for letter in data):
            raise DecodeError("a text holds half of a surrogate pair")
        return data[: length.most]

    return read


def one_of(options: tuple[str, ...]) -> Callable[[str], str]:
    """Return a check that a text is one of those that are known."""

    def check(value: str) -> str:
        if value not in options:
            raise UnknownWordError(f"{short(value)} is not known.{nearest(value, options)}")
        return value

    return check


def checked(read: Read, function: Callable[[Any], Any]) -> Read:
    """Return a reader that also checks the value; the check may replace it."""

    def check(data: Any, trail: Trail) -> Any:
        value = read(data, trail)
        try:
            return function(value)
        except DecodeError:
            raise
        except ValueError as error:
            raise DecodeError(str(error)) from error

    return check


def exactly(kind: Any, kinds: tuple[type, ...]) -> Read:
    """Return the reader of a value of exactly one of some types, without subclasses: true is not a number."""

    def read(data: Any, trail: Trail) -> Any:
        if type(data) not in kinds:
            raise DecodeError(f"is {short(data)}; {WORDS.get(kind, kind.__name__)} is expected")
        return data

    return read


def numbers(kind: Any, between: Between | None) -> Read:
    """Return the reader of a number within a range; floats must be finite, and may be written as whole numbers."""
    plain = exactly(kind, (int,) if kind is int else (int, float))

    def read(data: Any, trail: Trail) -> Any:
        value = plain(data, trail)
        if between is not None and not between.least <= value <= between.most:
            upper = f" to {between.most:,}" if between.most < math.inf else " or more"
            raise DecodeError(f"is {short(value)}, and may be {between.least:,}{upper}")
        if kind is float and not -MAX_FLOAT <= value <= MAX_FLOAT:
            raise DecodeError(f"is {short(value)}; a finite number is expected")
        return kind(value)

    return read


def items(read_item: Read, length: Length, into: type) -> Read:
    """Return the reader of a list whose items have one type."""

    def read(data: Any, trail: Trail) -> Any:
        if not isinstance(data, list):
            raise DecodeError(f"is {short(data)}; a list is expected")
        if not length.least <= len(data) <= length.most:
            raise DecodeError(f"a list has {len(data):,} items; {_range(length)}")
        return into(_each(data, repeat(read_item), trail))

    return read


def fixed(readers: tuple[Read, ...]) -> Read:
    """Return the reader of a list of fixed length, with a reader for each item."""

    def read(data: Any, trail: Trail) -> Any:
        if not isinstance(data, list) or len(data) != len(readers):
            shown = f"a list of {len(data):,}" if isinstance(data, list) else short(data)
            raise DecodeError(f"is {shown}; a list of {len(readers)} is expected")
        return tuple(_each(data, readers, trail))

    return read


def _each(data: list[Any], readers: Iterable[Read], trail: Trail) -> list[Any]:
    """Return the items of a list, each read by its reader; an error gets the item's index."""
    found: list[Any] = []
    try:
        for item, read_item in zip(data, readers, strict=False):
            found.append(read_item(item, trail))
    except DecodeError as error:
        raise error.within(len(found)) from None
    return found


def mapping(read_key: Read, read_value: Read, length: Length) -> Read:
    """Return the reader of an object whose keys are not fields of a class."""

    def read(data: Any, trail: Trail) -> Any:
        if not isinstance(data, dict):
            raise DecodeError(f"is {short(data)}; a table is expected")
        if not length.least <= len(data) <= length.most:
            raise DecodeError(f"a table has {len(data):,} items; {_range(length)}")
        found = {}
        for key, value in data.items():
            name = read_key(key, trail)
            try:
                found[name] = read_value(value, trail)
            except DecodeError as error:
                raise error.within(key) from None
        return found

    return read


def _range(length: Length) -> str:
    least = f"the least is {length.least:,}, " if length.least else ""
    return f"{least}the most is {length.most:,}"
