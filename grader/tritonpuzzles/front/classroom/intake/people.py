"""Whose a file is, as a layout says it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Person:
    """A student as a layout names them.

    Attributes:
        id: where no roster knows better.
        names: by which a roster may know them, the surest first; the id is the last of them.
    """

    id: str
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Place:
    """What a layout says of a file, or a folder.

    Attributes:
        people: whose it is; several where a group handed it in.
        name: as the student called it, without what the system has put before it.
        handed_in: as the system says; `None` where it does not.
        is_late: whether the system says so.
        order: of two files the one with the higher number was handed in later.
    """

    people: tuple[Person, ...]
    name: str
    handed_in: datetime | None = None
    is_late: bool = False
    order: int = 0
