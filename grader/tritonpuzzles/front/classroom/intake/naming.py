"""The contents of a class's folder or archive: each file with its names, time and student; and what was refused.

Names and times are as file systems and other systems write them.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone, tzinfo
from pathlib import Path
from typing import TypeAlias

Parts: TypeAlias = tuple[str, ...]

PYTHON, NOTEBOOK, ARCHIVE = ".py", ".ipynb", ".zip"
GRADED = (PYTHON, NOTEBOOK)
OTHER_ARCHIVES = (".rar", ".7z", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst")
SUBMISSION_METADATA, TIMESTAMP, TABLE = "submission_metadata.yml", "timestamp.txt", ".csv"
SKIPPED = frozenset({"__pycache__", "__MACOSX", "site-packages", "node_modules"})
_COPY = re.compile(  # what browsers, file managers, Jupyter and Canvas add to a name that is taken
    r"""(?P<rest>.*?) (?: \s*\((?P<a>\d{1,3})\) | \s*-\s*copy\s*\(?(?P<b>\d{0,3})\)? | [\s_]copy\s*(?P<c>\d{0,3})
        | -(?P<d>\d{1,2}) )$""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_COPY_OF = re.compile(r"copy[\s_]+(?:\((?P<n>\d{1,3})\)[\s_]+)?of[\s_]+", re.IGNORECASE)
_WRITTEN = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d)[ T](?P<time>\d\d:\d\d:\d\d)(?:\.(?P<part>\d{1,9}))?(?:\s*(?P<zone>[\w+:/-]{1,64}))?"
)
_OFFSET = re.compile(r"[+-]\d\d:?\d\d")


def ending(name: str) -> str:
    """Return the ending of a name in lower case: ".py"."""
    return os.path.splitext(name)[1].casefold()


def stem(name: str) -> str:
    """Return a name without its ending."""
    return os.path.splitext(name)[0]


def is_searched(name: str) -> bool:
    """Return whether a file or folder of this name can be a submission or contain one: not hidden, not generated."""
    return not name.startswith(".") and name not in SKIPPED


def is_wanted(name: str) -> bool:
    """Return whether a file is a submission by its ending, an archive, or a layout's own data."""
    return ending(name) in (*GRADED, ARCHIVE, TABLE) or name in (SUBMISSION_METADATA, TIMESTAMP)


def said(name: str) -> str:
    r"""Return a name as text that can be written: of bytes that are no UTF-8 each becomes `\xff`."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def without_copy(name: str) -> tuple[str, int]:
    """Return the stem of a name without its copy marks, and the number of the copy: 1 for "p03 (1).py"."""
    rest, count = stem(name), 0
    if begins := _COPY_OF.match(rest):
        rest, count = rest[begins.end() :], int(begins["n"] or 1)
    while found := _COPY.fullmatch(rest):
        number = next(filter(None, found.groups()[1:]), "1")
        rest, count = found["rest"], count + int(number)
    return rest.strip(), count


def moment(seconds: float) -> datetime | None:
    """Return seconds since 1970 as a time in this machine's zone."""
    try:
        return datetime.fromtimestamp(seconds).astimezone()
    except (OverflowError, OSError, ValueError):
        return None


def read_time(text: str) -> datetime | None:
    """Return `2026-12-01 01:52:05.363370000 Z` as a time; also with an offset, or with a zone's name."""
    found = _WRITTEN.fullmatch(text.strip())
    zone = _zone(found["zone"] or "UTC") if found else None
    if found is None or zone is None:
        return None
    part = (found["part"] or "").ljust(6, "0")[:6]  # of a second
    try:
        return datetime.fromisoformat(f"{found['day']}T{found['time']}.{part}").replace(tzinfo=zone)
    except ValueError:
        return None


def _zone(name: str) -> tzinfo | None:
    """Return a time zone by its name or offset."""
    if name in ("Z", "UTC", "GMT"):
        return timezone.utc
    import zoneinfo  # imported only when a file names a zone: it searches the system's time zones

    try:
        return datetime.strptime(name, "%z").tzinfo if _OFFSET.fullmatch(name) else zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return None


@dataclass(frozen=True)
class Entry:
    """One file."""

    path: Path
    parts: Parts  # its names from the class's folder down; an archive's name counts as a folder
    modified: datetime | None  # its modification time, by the file system or the archive
    received: datetime | None = None  # that of the student's archive around it; what is inside can have any


@dataclass(frozen=True)
class Tree:
    """What was found in a class's folder, or in an archive."""

    name: str = ""  # of the class's folder or archive, without its ending
    # those that may be submissions or a layout's own data, in the order of their names
    files: list[Entry] = field(default_factory=list)
    # names of what could not be taken, with a clause each: "is a symbolic link"
    refused: list[tuple[Parts, str]] = field(default_factory=list)
    folders: set[Parts] = field(default_factory=set)  # all that were searched, archives included
    clones: set[Parts] = field(default_factory=set)  # folders with a `.git`
    top: Parts = ()  # names of the folders that lead to where the layout begins; `parts` do not include them

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


@dataclass(frozen=True)
class Person:
    """A student as a layout names them."""

    id: str  # used if no roster knows the student
    names: tuple[str, ...] = ()  # names to look up in a roster, most reliable first; the id is looked up last


@dataclass(frozen=True)
class Place:
    """What a layout knows about a file or a folder."""

    people: tuple[Person, ...]  # whose it is; several if a group handed it in
    name: str  # the student's own name for it, without what the system put before it
    handed_in: datetime | None = None  # the time by the system; `None` if the system stores none
    is_late: bool = False  # whether the system marks it as late
    order: int = 0  # of two files, the one with the higher number was handed in later
