"""All that a class's folder or archive holds: each file with its names, its time and whose it is; what was refused.

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
    """Return whether what bears a name can be a submission or lead to one: nothing hidden, nothing that is made."""
    return not name.startswith(".") and name not in SKIPPED


def is_wanted(name: str) -> bool:
    """Return whether a file is a submission by its ending, an archive, or a layout's own data."""
    return ending(name) in (*GRADED, ARCHIVE, TABLE) or name in (SUBMISSION_METADATA, TIMESTAMP)


def said(name: str) -> str:
    r"""Return a name as text that can be written: of bytes that are no UTF-8 each becomes `\xff`."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def without_copy(name: str) -> tuple[str, int]:
    """Return the stem of a name without what marks a copy, and the number of the copy: "p03 (1).py" is the first."""
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
    import zoneinfo  # where a file names one alone: it looks for the system's time zones

    try:
        return datetime.strptime(name, "%z").tzinfo if _OFFSET.fullmatch(name) else zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return None


@dataclass(frozen=True)
class Entry:
    """One file.

    Attributes:
        path: where it lies.
        parts: its names from the folder of the class on; an archive's name stands for a folder.
        modified: when, as the file system or the archive says.
        received: the same of an archive of the student's, if it came in one: in that any time may stand.
    """

    path: Path
    parts: Parts
    modified: datetime | None
    received: datetime | None = None


@dataclass(frozen=True)
class Tree:
    """What was found in a class's folder, or in an archive.

    Attributes:
        name: of the class's folder or archive, without its ending.
        files: what may be a submission or a layout's own data, in the order of their names.
        refused: names of what could not be taken, with a clause each: "is a symbolic link".
        folders: all that were searched, archives included.
        clones: those with a `.git`.
        top: names of the folders that lead to where a layout begins; no parts have them.
    """

    name: str = ""
    files: list[Entry] = field(default_factory=list)
    refused: list[tuple[Parts, str]] = field(default_factory=list)
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
