"""Read TOML strictly: every key is known, every value of the right type, and what is wrong is said where it stands."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from tritonpuzzles.curriculum.expressions import Expression, ExpressionError, check_names, names_in

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

T = TypeVar("T")
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
    """Return " Did you mean 'normal'?", or which names there are where none is near."""
    names = sorted(known)
    found = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    if found:
        return f" Did you mean {found[0]!r}?"
    return f" Known: {', '.join(names)}." if names else ""


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

    def need(self, key: str, kind: type[T]) -> T:
        """Return the value of a key that must be there.

        Raises:
            RecordError: if it is not, or of another type.
        """
        if key not in self._left:
            raise self.error(f"{key!r} is missing")
        return self.get(key, kind)  # type: ignore[return-value]

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

    def one_of(self, key: str, options: Iterable[str], default: str) -> str:
        """Return the value of a key that must be one of some words.

        Raises:
            RecordError: with the nearest of them.
        """
        value, known = self.get(key, str, default), list(options)
        if value not in known:
            raise self.error(f"{key} {value!r} is not known.{nearest(str(value), known)}".rstrip("."))
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
            raise self.error(f"{key!r} is missing")
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
        try:
            unknown = names_in(value) - set(names)
            for name in sorted(unknown):
                if not (constexprs and name.isupper()):
                    raise self.error(f"{key!r}: {name!r} in {value!r} is not known.{nearest(name, names)}".rstrip("."))
            check_names(value, draws)
        except ExpressionError as error:
            raise self.error(f"{key!r}: {error}") from error
        found: Expression = value
        return found

    def table(self, key: str) -> Table:
        """Return a table within this one; an empty one where it is missing."""
        return Table(self.get(key, dict) or {}, f"{self.place}, [{key}]")

    def tables(self, key: str, noun: str) -> list[Table]:
        """Return the tables of an array, each called by its name or number."""
        found = self.get(key, list) or []
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
            raise self.error(f"there is no key {key!r} here.{nearest(key, self._known)}".rstrip("."))
