"""Times as file systems and other systems' files write them, with their time zone; `None` for what is no time."""

from __future__ import annotations

import re
import zoneinfo
from datetime import datetime, timezone, tzinfo

_WRITTEN = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d)[ T](?P<time>\d\d:\d\d:\d\d)(?:\.(?P<part>\d{1,9}))?(?:\s*(?P<zone>[\w+:/-]{1,64}))?"
)
_OFFSET = re.compile(r"(?P<sign>[+-]\d\d):?(?P<minutes>\d\d)")


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
