"""All that a class's folder or archive holds: each file with its names, its time and whose it is; what was refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TypeAlias

from tritonpuzzles.front.classroom.intake.naming import Parts, said

Refusal: TypeAlias = tuple[Parts, str]  # names, and a clause: "is a symbolic link"


@dataclass(frozen=True)
class Entry:
    """One file.

    Attributes:
        path: where it lies.
        parts: its names from the folder of the class on; an archive's name stands for a folder.
        modified: when, as the file system or the archive says.
        received: the same of what came from the student: of an archive of theirs, in which any time may stand.
    """

    path: Path
    parts: Parts
    modified: datetime | None
    received: datetime | None


@dataclass(frozen=True)
class Tree:
    """What was found.

    Attributes:
        name: of the class's folder or archive, without its ending.
        files: what may be a submission or a layout's own data, in the order of their names.
        refused: what could not be taken, with a sentence each.
        folders: all that were searched, archives included.
        clones: those with a `.git`.
        top: names of the folders that lead to where a layout begins; no parts have them.
    """

    name: str
    files: list[Entry] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    folders: set[Parts] = field(default_factory=set)
    clones: set[Parts] = field(default_factory=set)
    top: Parts = ()

    def shown(self, parts: Parts) -> str:
        """Return a name from the class's folder on, as text that can be written."""
        return said("/".join((*self.top, *parts)))

    @property
    def first(self) -> set[str]:
        """The names of the folders and archives at the top."""
        return {parts[0] for parts in self.folders}

    def below(self, name: str) -> Tree:
        """Return the tree as one of its folders at the top sees it."""
        return replace(
            self,
            name=name,
            files=[replace(one, parts=one.parts[1:]) for one in self.files if one.parts[0] == name],
            refused=[(parts[1:], why) for parts, why in self.refused if parts[:1] == (name,)],
            folders={parts[1:] for parts in self.folders if parts[0] == name and parts[1:]},
            clones={parts[1:] for parts in self.clones if parts[0] == name and parts[1:]},
            top=(*self.top, name),
        )

    def called(self, name: str) -> Iterator[Entry]:
        """Yield the files of a name, wherever they lie: a layout's own data."""
        return (entry for entry in self.files if entry.parts[-1] == name)


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
