"""Names of files that matter to a class, and times, as file systems and other systems write them."""

from __future__ import annotations

import os
import re
import zoneinfo
from datetime import datetime, timezone, tzinfo
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
_OFFSET = re.compile(r"(?P<sign>[+-]\d\d):?(?P<minutes>\d\d)")


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


def local(*numbers: int) -> datetime | None:
    """Return year, month, day, hour, minute and second as a time in this machine's zone."""
    try:
        return datetime(*numbers).astimezone()  # type: ignore[arg-type]  # mypy takes the seventh for a zone
    except (OverflowError, OSError, ValueError):
        return None


def read_time(text: str) -> datetime | None:
    """Return `2026-12-01 01:52:05.363370000 Z` as a time; also with an offset, or with a zone's name."""
    found = _WRITTEN.fullmatch(text.strip())
    zone = _zone(found["zone"]) if found else None
    if found is None or zone is None:
        return None
    part = (found["part"] or "").ljust(6, "0")[:6]  # of a second
    try:
        return datetime.fromisoformat(f"{found['day']}T{found['time']}.{part}").replace(tzinfo=zone)
    except ValueError:
        return None


def _zone(name: str | None) -> tzinfo | None:
    """Return a time zone by its name or offset: UTC where none is written."""
    if name in (None, "Z", "UTC", "GMT"):
        return timezone.utc
    assert name is not None
    try:
        if offset := _OFFSET.fullmatch(name):
            return datetime.strptime(f"{offset['sign']}{offset['minutes']}", "%z").tzinfo
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return None
