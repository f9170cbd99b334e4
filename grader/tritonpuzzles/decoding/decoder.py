"""Decode JSON or TOML data into frozen dataclasses by their type hints, or refuse it and report where it is wrong.

The only conversions are lists to tuples and whole numbers to floats. Unknown keys are refused: see `Decoder.closed`.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cached_property
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints, overload

from tritonpuzzles.decoding import marks, plain
from tritonpuzzles.decoding.marks import As, Between, Called, Checked, DecodeError, Kinds, Length, OneOf, Only
from tritonpuzzles.decoding.plain import WORDS, Read, Trail

T = TypeVar("T")


@dataclass(frozen=True)
class Decoder:
    """How strictly data is read where the type hints say no more."""

    text: int = 1 << 24  # the most characters of a text
    items: int = 1 << 24  # the most items of a list, and entries of an object whose keys are not fields
    count: Between | None = None  # the range of whole numbers; any where there is none
    whole: bool = False  # whether fields that have a default must be there too
    closed: bool = True  # whether other keys than the fields are refused
    cuts: bool = False  # whether a text that is too long is cut, and not refused
    encodable: bool = True  # whether a text must be one that can be written as UTF-8

    @overload
    def read(self, hint: type[T], data: Any, /, **given: Any) -> T: ...

    @overload
    def read(self, hint: Any, data: Any, /, **given: Any) -> Any: ...

    def read(self, hint: Any, data: Any, /, **given: Any) -> Any:
        """Decode data from JSON or TOML by a type hint: a dataclass, or any hint that a field of one may have.

        Fields in `given` take their values from there; if `closed`, the data must not have them. A DecodeError has
        the place of the error.
        """
        return self._table(hint)(data, (), given) if given else self._reader(hint)(data, ())

    @cached_property
    def _made(self) -> dict[Any, Any]:
        return {}

    def _table(self, of: Any) -> _Table:
        if of not in self._made:
            self._made[of] = _Table(self, of)
        found: _Table = self._made[of]
        return found

    def _reader(self, hint: Any) -> Read:
        """Return the function that decodes to a type hint, created once per hint."""
        if is_dataclass(hint):
            return self._table(hint)
        if hint not in self._made:
            self._made[hint] = self._marked(*get_args(hint)) if get_origin(hint) is Annotated else self._plain(hint)
        found: Read = self._made[hint]
        return found

    def _marked(self, hint: Any, *given: Any) -> Read:
        """Return the reader of a hint with marks; checks among the marks apply in their order."""
        bounds, read = {type(mark): mark for mark in given}, None
        if Kinds in bounds:
            return _OfAKind(self, bounds[Kinds])
        if Only in bounds:
            read = self._table(hint).only(bounds[Only])
        if As in bounds:
            read = self._reader(bounds[As].hint)
        if Called in bounds:
            read = self._one_of(get_args(hint), bounds[Called].words)
        read = read or self._plain(hint, bounds.get(Length), bounds.get(Between))
        for mark in given:
            if isinstance(mark, OneOf):
                read = plain.checked(read, plain.one_of(mark.options))
            elif isinstance(mark, Checked):
                read = plain.checked(read, mark.function)
        return read

    def _plain(self, hint: Any, length: Length | None = None, between: Between | None = None) -> Read:
        origin, inner = get_origin(hint), get_args(hint)
        if origin in (Union, types.UnionType):
            return self._union(inner, length, between)
        length = length or Length(self.text if hint is str else self.items)
        if origin is Literal:
            return plain.checked(plain.texts(Length(self.text), False, self.encodable), plain.one_of(inner))
        if origin is tuple and inner[-1] is not Ellipsis:
            return plain.fixed(tuple(self._reader(one) for one in inner))
        if origin in (tuple, list):
            return plain.items(self._reader(inner[0]), length, origin)
        if origin is not None and issubclass(origin, Mapping):
            return plain.mapping(self._reader(inner[0]), self._reader(inner[1]), length)
        if hint is str:
            return plain.texts(length, self.cuts, self.encodable)
        if hint in (int, float):
            return plain.numbers(hint, between or (self.count if hint is int else None))
        if hint is Any:
            return lambda data, trail: data
        return self._table(hint) if is_dataclass(hint) else plain.exactly(hint, (hint,))

    def _union(self, hints: tuple[Any, ...], length: Length | None, between: Between | None) -> Read:
        """Return the reader of a union: of `None` and one other hint, or of several plain types."""
        others = [hint for hint in hints if hint is not types.NoneType]
        if len(others) == 1:
            read = self._plain(others[0], length, between) if length or between else self._reader(others[0])
            return lambda data, trail: None if data is None else read(data, trail)
        return self._one_of(hints, " or ".join(WORDS.get(hint, "another value") for hint in hints))

    def _one_of(self, hints: tuple[Any, ...], expected: str) -> Read:
        """Return the reader of one of several plain types."""
        readers = {get_args(hint)[0] if get_origin(hint) is Annotated else hint: self._reader(hint) for hint in hints}

        def read_one(data: Any, trail: Trail) -> Any:
            if type(data) not in readers:
                raise DecodeError(f"is {marks.short(data)}; {expected} is expected")
            return readers[type(data)](data, trail)

        return read_one


class _Table:
    """Reads a dataclass; its fields' readers are created at the first use, as dataclasses may contain each other."""

    def __init__(self, decoder: Decoder, of: Any) -> None:
        self._decoder, self._of = decoder, of

    @cached_property
    def _readers(self) -> dict[str, Read]:
        hints = get_type_hints(self._of, include_extras=True)
        return {field.name: self._decoder._reader(hints[field.name]) for field in fields(self._of) if field.init}

    @cached_property
    def _optional(self) -> set[str]:
        needed = (one.default is MISSING and one.default_factory is MISSING for one in fields(self._of))
        names = {one.name for one, must in zip(fields(self._of), needed, strict=True) if not must}
        return set() if self._decoder.whole else names

    def only(self, mark: Only) -> Read:
        """Return the reader of data that is one field of the class; unless `always`, an object is the whole class."""

        def read(data: Any, trail: Trail) -> Any:
            if not mark.always and isinstance(data, dict):
                return self(data, trail)
            return self._of(**{mark.name: self._readers[mark.name](data, trail)})

        return read

    def __call__(self, data: Any, trail: Trail, given: Mapping[str, Any] = types.MappingProxyType({})) -> Any:
        if not isinstance(data, dict):
            raise DecodeError(f"is {marks.short(data)}; a table is expected")
        found, readers = dict(given), self._readers
        for name, read in readers.items():
            if name in found:
                continue
            if name in data:
                try:
                    found[name] = read(data[name], trail)
                except DecodeError as error:
                    raise error.within(name) from None
            elif name not in self._optional:
                raise self._missing(name, data)
        if self._decoder.closed and len(data) > len(found) - len(given):
            for name in data:
                if name not in readers or name in given:
                    known = readers.keys() - given.keys()
                    raise DecodeError(f"there is no key {marks.short(name)} here.{marks.nearest(name, known)}")
        return self._of(**found)

    def _missing(self, name: str, data: dict[str, Any]) -> DecodeError:
        others = [other for other, _ in zip(data, range(marks.MOST_LISTED), strict=False) if other not in self._readers]
        near = marks.close_to(name, others, marks.SLIP)
        return DecodeError(f"{name!r} is missing" + (f"; there is {near!r} in its place" if near else ""))


class _OfAKind:
    """Reads an object with one key, which names the kind of its value."""

    def __init__(self, decoder: Decoder, mark: Kinds) -> None:
        self._decoder, self._mark = decoder, mark

    @cached_property
    def _readers(self) -> dict[str, Read]:
        return {kind: self._decoder._reader(hint) for kind, hint in self._mark.known().items()}

    @cached_property
    def _plain(self) -> Read:
        return self._decoder._reader(self._mark.plain)

    def __call__(self, data: Any, trail: Trail) -> Any:
        mark, inner = self._mark, (*trail, self._mark)
        if trail.count(mark) > mark.deep:
            raise DecodeError(f"is nested more than {mark.deep} deep")
        if mark.plain is not None and not isinstance(data, dict):
            return self._plain(data, inner)
        if not isinstance(data, dict) or len(data) != 1 or next(iter(data)) not in self._readers:
            shown = marks.short(next(iter(data))) if isinstance(data, dict) and data else marks.short(data)
            raise DecodeError(f"is of the kind {shown}, which is not known")
        ((kind, value),) = data.items()
        try:
            return self._readers[kind](value, inner)
        except DecodeError as error:
            raise error.within(kind) from None
