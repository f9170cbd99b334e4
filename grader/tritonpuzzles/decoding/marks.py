"""The marks that a type hint may have in `Annotated`, and the error for data that does not match its hint."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

MOST_LISTED = 40  # names in a message, and names that are compared with one that is not known
MOST_COMPARED = 100  # characters of these names: the comparison takes quadratic time
SLIP = 0.6  # similarity, from 0 to 1, from which a key counts as a misspelling of another


class DecodeError(ValueError):
    """Data that does not match its type hint.

    Attributes:
        what: a clause about the place ("is '1'; a whole number is expected") or a whole sentence.
        place: keys and indexes that lead to the value, the outermost first.
    """

    def __init__(self, what: str, place: tuple[str | int, ...] = ()) -> None:
        super().__init__(what, place)
        self.what, self.place = what, place

    def within(self, key: str | int) -> DecodeError:
        """Prepend a key to the error's place, and return the error."""
        self.place = (key, *self.place)
        return self

    @property
    def said(self) -> str:
        """What is wrong: place and clause, or the sentence without the place."""
        return str(self) if self.what.startswith("is ") else self.what

    def __str__(self) -> str:
        parts = (f".{key}" if str(key).isidentifier() else f"[{short(key)}]" for key in self.place)
        where = "".join(parts).removeprefix(".")[-120:]
        return f"{where}{' ' if self.what.startswith('is ') else ': '}{self.what}" if where else self.what


class UnknownWordError(DecodeError):
    """A text that is not among the known ones."""


@dataclass(frozen=True)
class Length:
    """Bounds of a text, in characters, or of a list or object, in items."""

    most: int
    least: int = 0


@dataclass(frozen=True)
class Between:
    """The range of a number, both ends included."""

    least: float
    most: float


@dataclass(frozen=True)
class OneOf:
    """The allowed texts."""

    options: tuple[str, ...]


@dataclass(frozen=True)
class Called:
    """Words for what is expected, for a union of several plain types."""

    words: str


@dataclass(frozen=True)
class Checked:
    """A function that checks a value and returns it or a replacement; it raises ValueError with one sentence."""

    function: Callable[[Any], Any]


@dataclass(frozen=True)
class Only:
    """The data is the value of this one field of the class."""

    name: str  # of the field
    always: bool = True  # also if the data is an object; otherwise an object is read as the whole class


@dataclass(frozen=True)
class As:
    """Another type hint, by which the data is read; a `Checked` then converts the result."""

    hint: Any


@dataclass(frozen=True, eq=False)
class Kinds:
    """An object with one key, which names the kind of its value."""

    # returns type hints by key; called at the first use, as the types may contain each other
    known: Callable[[], Mapping[str, Any]]
    deep: int = 1  # the deepest allowed nesting of these
    plain: Any = None  # type hint of data that is not an object; `None` to refuse it


def short(data: Any) -> str:
    """Return any data as text for a message, at most 60 characters."""
    if isinstance(data, (list, dict)):
        return "a list" if isinstance(data, list) else "a table"
    if isinstance(data, int) and data.bit_length() >= 64:
        return f"a number of {data.bit_length():,} bits"  # Python does not print large ones
    shown = repr(data) if isinstance(data, (str, bool, int, float, type(None))) else type(data).__name__
    return shown if len(shown) <= 60 else shown[:57] + "..."


def nearest(name: str, known: Iterable[str]) -> str:
    """Return " Did you mean 'normal'?", or the known names if none is similar and they are few, else ""."""
    names = sorted(known)
    found = close_to(name, names)
    if found is not None:
        return f" Did you mean {found!r}?"
    return f" Known: {', '.join(names)}." if 0 < len(names) <= MOST_LISTED else ""


def close_to(name: str, known: Iterable[str], cutoff: float = 0.5) -> str | None:
    """Return the known name that is most similar to a name, or `None` if none is similar enough."""
    names = [other for other in known if len(other) <= MOST_COMPARED]
    found = difflib.get_close_matches(name[:MOST_COMPARED], names, n=1, cutoff=cutoff)
    return found[0] if found else None


def identifier(name: str) -> str:
    """Return a name that is a Python identifier without two leading underscores.

    Raises ValueError for any other.
    """
    if not name.isidentifier() or name.startswith("__"):
        raise ValueError(f"{short(name)} is no name that a kernel can use")
    return name


def distinct(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names; raises ValueError if one occurs twice."""
    if len(set(names)) < len(names):
        raise ValueError("a name stands there twice")
    return names
