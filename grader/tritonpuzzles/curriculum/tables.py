"""Read TOML strictly: every key is known, every value of the right type, and what is wrong is said where it stands."""

from __future__ import annotations

import difflib
import math
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from tritonpuzzles.curriculum.expressions import Expression, ExpressionError, Multiple, check_names, names_in

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

T = TypeVar("T")
MOST_LISTED = 40  # names in a message
SLIP = 0.6  # how like a key another one is that was meant for it
WORDS: dict[type, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "a table",
}


class RecordError(ValueError):
    """A record or a pack is not well formed; the message names the file, the place and what to mend."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Return " Did you mean 'normal'?", or which names there are where none is near and they can be listed."""
    names = sorted(known)
    found = close_to(name, names)
    if found is not None:
        return f" Did you mean {found!r}?"
    return f" Known: {', '.join(names)}." if 0 < len(names) <= MOST_LISTED else ""


def close_to(name: str, known: Sequence[str], cutoff: float = 0.5) -> str | None:
    """Return the name that is most like another one, where one is like it at all."""
    found = difflib.get_close_matches(name, known, n=1, cutoff=cutoff)
    return found[0] if found else None


def read_toml(path: Path) -> Table:
    """Return a file's table.

    Raises:
        RecordError: if it cannot be read.
    """
    try:
        return Table(tomllib.loads(path.read_text(encoding="utf-8")), path.name)
    except FileNotFoundError as error:
        raise RecordError(f"{path.name}: there is no such file in {path.parent}") from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise RecordError(f"{path.name}: {error}") from error


class Table:
    """A TOML table that is taken apart key by key.

    Args:
        data: the table.
        place: where it stands, for messages: `p03_online_softmax.toml, case "late maximum"`.
    """

    def __bool__(self) -> bool:
        return bool(self._left)

    def __init__(self, data: dict[str, Any], place: str) -> None:
        self._left = dict(data)
        self._known: list[str] = []
        self.place = place

    def error(self, what: str) -> RecordError:
        """Return the error to raise about this table."""
        return RecordError(f"{self.place}: {what}")

    def has(self, key: str) -> bool:
        """Whether a key is there; it counts as known from now on."""
        self._known.append(key)
        return key in self._left

    def seen(self, key: str) -> Any:
        """Return the value of a key without taking it: whoever reads it still checks it."""
        return self._left.get(key)

    def need(self, key: str, kind: type[T]) -> T:
        """Return the value of a key that must be there.

        Raises:
            RecordError: if it is not, or of another type.
        """
        if key not in self._left:
            raise self.missing(key)
        return self.get(key, kind)  # type: ignore[return-value]

    def missing(self, key: str) -> RecordError:
        """Return the error to raise about a key that must be there, with one that may have been meant for it."""
        found = close_to(key, [other for other in self._left if other not in self._known], SLIP)
        return self.error(f"{key!r} is missing" + (f"; there is {found!r} in its place" if found else ""))

    def get(self, key: str, kind: type[T], default: T | None = None) -> T | None:
        """Return the value of a key, or the default where it is missing.

        Raises:
            RecordError: if it is of another type.
        """
        self._known.append(key)
        if key not in self._left:
            return default
        value = self._left.pop(key)
        right = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
        if kind is float and type(value) is int:
            return float(value)  # type: ignore[return-value]
        if not right:
            raise self.error(f"{key!r} is {value!r}; {WORDS[kind]} is expected")
        found: T = value
        return found

    def any_of(self, key: str, kinds: tuple[type, ...], default: Any = None) -> Any:
        """Return the value of a key that may be of several types.

        Raises:
            RecordError: if it is of none of them.
        """
        self._known.append(key)
        if key not in self._left:
            return default
        value = self._left.pop(key)
        if type(value) not in kinds:
            raise self.error(f"{key!r} is {value!r}; {' or '.join(WORDS[kind] for kind in kinds)} is expected")
        return value

    def one_of(self, key: str, options: Iterable[str], default: str | None = None) -> str:
        """Return the value of a key that must be one of some words; without a default it must be there.

        Raises:
            RecordError: with the nearest of them.
        """
        value = self.need(key, str) if default is None else self.get(key, str, default)
        known = list(options)
        if value not in known:
            raise self.error(f"{key} {value!r} is not known.{nearest(str(value), known)}")
        return str(value)

    def texts(self, key: str, default: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Return a list of texts.

        Raises:
            RecordError: if it is anything else.
        """
        found = self.get(key, list)
        if found is None:
            return default
        if not all(isinstance(item, str) for item in found):
            raise self.error(f"{key!r} is {found!r}; a list of texts is expected")
        return tuple(found)

    def expression(
        self, key: str, names: Sequence[str], *, draws: bool = False, constexprs: bool = False
    ) -> Expression:
        """Return an expression that must be there.

        Args:
            key: its key.
            names: that it may use.
            draws: whether it may draw.
            constexprs: whether it may also use names in capitals.

        Raises:
            RecordError: if it is missing, or with what in it is not known.
        """
        found = self.any_of(key, (int, str))
        if found is None:
            raise self.missing(key)
        return self.checked(key, found, names, draws=draws, constexprs=constexprs)

    def expressions(self, key: str, names: Sequence[str], *, draws: bool = False) -> list[Expression]:
        """Return a list of expressions that must be there; see `expression`."""
        return [self.checked(key, item, names, draws=draws) for item in self.need(key, list)]

    def checked(
        self, key: str, value: Any, names: Sequence[str], *, draws: bool = False, constexprs: bool = False
    ) -> Expression:
        """Return a value that is an expression; see `expression`."""
        if type(value) not in (int, str):
            raise self.error(f"{key!r} holds {value!r}; a whole number or an expression is expected")
        self._check(key, value, names, draws=draws, constexprs=constexprs)
        found: Expression = value
        return found

    def multiple(self, key: str, value: Any, names: Sequence[str]) -> Multiple:
        """Return a value that is an expression, over names and those in capitals, and may be a fraction."""
        if type(value) not in (int, float, str) or (not isinstance(value, str) and not 0 <= value < math.inf):
            raise self.error(f"{key!r} holds {value!r}; a number of at least 0 or an expression is expected")
        self._check(key, value, names, constexprs=True, fractions=True)
        found: Multiple = value
        return found

    def _check(
        self,
        key: str,
        value: Multiple,
        names: Sequence[str],
        *,
        draws: bool = False,
        constexprs: bool = False,
        fractions: bool = False,
    ) -> None:
        try:
            unknown = names_in(value) - set(names)
            for name in sorted(unknown):
                if not (constexprs and name.isupper()):
                    raise self.error(f"{key!r}: {name!r} in {value!r} is not known.{nearest(name, names)}")
            check_names(value, draws, fractions)
        except ExpressionError as error:
            raise self.error(f"{key!r}: {error}") from error

    def table(self, key: str) -> Table:
        """Return a table within this one; an empty one where it is missing."""
        return Table(self.get(key, dict) or {}, f"{self.place}, [{key}]")

    def tables(self, key: str, noun: str, *, needed: bool = False) -> list[Table]:
        """Return the tables of an array, each called by its name or number; if it is needed, one at least.

        Raises:
            RecordError: if it is missing, or a list of something else.
        """
        found = (self.need(key, list) if needed else self.get(key, list)) or []
        if not all(isinstance(item, dict) for item in found):
            raise self.error(f"{key!r} is a list of something else than tables: write [[{key}]]")
        return [
            Table(item, f"{self.place}, {noun} {item['name']!r}" if "name" in item else f"{self.place}, {noun} {n}")
            for n, item in enumerate(found, 1)
        ]

    def rest(self) -> dict[str, Any]:
        """Return what has not been taken yet: a table whose keys are names."""
        left, self._left = self._left, {}
        return left

    def done(self) -> None:
        """Refuse what nobody has taken.

        Raises:
            RecordError: with the first key that is left, and the nearest one that there is.
        """
        for key in self._left:
            raise self.error(f"there is no key {key!r} here.{nearest(key, self._known)}")
