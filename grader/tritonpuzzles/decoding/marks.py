"""What a type hint may say beside its type, in `Annotated`, and the error for data that does not agree with it."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

MOST_LISTED = 40  # names in a message, and names that are compared with one that is not known
MOST_COMPARED = 100  # characters of these: the comparison takes the square of that
SLIP = 0.6  # how like a key another one is that was meant for it


class DecodeError(ValueError):
    """Data that is not of the form that its type says.

    Attributes:
        what: a clause about the place ("is '1'; a whole number is expected") or a sentence of its own.
        place: keys and indexes that lead there, from the outermost on.
    """

    def __init__(self, what: str, place: tuple[str | int, ...] = ()) -> None:
        super().__init__(what, place)
        self.what, self.place = what, place

    def within(self, key: str | int) -> DecodeError:
        """Return the same error as seen from one level further out."""
        self.place = (key, *self.place)
        return self

    @property
    def said(self) -> str:
        """What is wrong, without the place where it is a sentence of its own."""
        return str(self) if self.what.startswith("is ") else self.what

    def __str__(self) -> str:
        parts = (f".{key}" if str(key).isidentifier() else f"[{short(key)}]" for key in self.place)
        where = "".join(parts).removeprefix(".")[-120:]
        return f"{where}{' ' if self.what.startswith('is ') else ': '}{self.what}" if where else self.what


class UnknownWordError(DecodeError):
    """A text that is none of those that are known."""


@dataclass(frozen=True)
class Length:
    """Bounds of a text, in characters, or of a list or object, in items."""

    most: int
    least: int = 0


@dataclass(frozen=True)
class Between:
    """The range of a number, both ends in it."""

    least: float
    most: float


@dataclass(frozen=True)
class OneOf:
    """The texts that there are."""

    options: tuple[str, ...]


@dataclass(frozen=True)
class Called:
    """Words for what is expected, where one of several plain types is."""

    words: str


@dataclass(frozen=True)
class Checked:
    """A function that takes the value and returns what stands for it; it raises ValueError with one sentence."""

    function: Callable[[Any], Any]


@dataclass(frozen=True)
class Only:
    """The data is the value of this one field of the class."""

    name: str  # of the field
    always: bool = True  # also where the data is an object, which else has the fields of the class


@dataclass(frozen=True)
class As:
    """Another type hint, which says how the data is read; a `Checked` then makes what is meant of it."""

    hint: Any


@dataclass(frozen=True, eq=False)
class Kinds:
    """An object with one key, which says what is in it."""

    # returns type hints by key; called once there is something to read, as they may hold each other
    known: Callable[[], Mapping[str, Any]]
    deep: int = 1  # how many of these may lie inside one another
    plain: Any = None  # type hint of what is no object; `None` where that is refused


def short(data: Any) -> str:
    """Return data for a message: at most 60 characters, whatever it is."""
    if isinstance(data, (list, dict)):
        return "a list" if isinstance(data, list) else "a table"
    if isinstance(data, int) and data.bit_length() >= 64:
        return f"a number of {data.bit_length():,} bits"  # Python does not print large ones
    shown = repr(data) if isinstance(data, (str, bool, int, float, type(None))) else type(data).__name__
    return shown if len(shown) <= 60 else shown[:57] + "..."


def nearest(name: str, known: Iterable[str]) -> str:
    """Return " Did you mean 'normal'?", or which names there are where none is near and they can be listed."""
    names = sorted(known)
    found = close_to(name, names)
    if found is not None:
        return f" Did you mean {found!r}?"
    return f" Known: {', '.join(names)}." if 0 < len(names) <= MOST_LISTED else ""


def close_to(name: str, known: Iterable[str], cutoff: float = 0.5) -> str | None:
    """Return the name that is most like another one, where one is like it at all."""
    names = [other for other in known if len(other) <= MOST_COMPARED]
    found = difflib.get_close_matches(name[:MOST_COMPARED], names, n=1, cutoff=cutoff)
    return found[0] if found else None


def identifier(name: str) -> str:
    """Return a Python name; names with two leading underscores are no one's to use.

    Raises ValueError for anything else.
    """
    if not name.isidentifier() or name.startswith("__"):
        raise ValueError(f"{short(name)} is no name that a kernel can use")
    return name


def distinct(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return names of which none stands twice; raises ValueError for others."""
    if len(set(names)) < len(names):
        raise ValueError("a name stands there twice")
    return names
