"""What a watch waits for: events of the thread that checks, and saves of files.

Whether a file was saved its time and size say, looked at again and again. Notifications of the system would be faster,
and do not come from network drives, bind mounts and Windows folders.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path

from tritonpuzzles.front.grading import Graded
from tritonpuzzles.results.check import Preliminary
from tritonpuzzles.results.trace import Trace

SECONDS = 0.1
APART = SECONDS / 2  # two looks at the least, which other events may bring on early


@dataclass(frozen=True)
class Doing:
    """A sentence about what is being done."""

    sentence: str


@dataclass(frozen=True)
class Noted:
    """A sentence on something that does not stop a check."""

    sentence: str


@dataclass(frozen=True)
class Known:
    """What is known while more is being done."""

    found: Preliminary


@dataclass(frozen=True)
class Checked:
    """A check is at its end."""

    graded: Graded


@dataclass(frozen=True)
class Traced:
    """A ledger was asked for, and is there."""

    trace: Trace


@dataclass(frozen=True)
class Broke:
    """What was asked for could not be done."""

    error: Exception


Event = Doing | Noted | Known | Checked | Traced | Broke


class Inbox:
    """Events on their way, each with the number of what it is about; a descriptor says that some are there."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[int, Event]] = deque()
        self._some, self._wake = os.pipe()
        for end in (self._some, self._wake):
            os.set_blocking(end, False)

    def fileno(self) -> int:
        """Return what is readable while events wait."""
        return self._some

    def post(self, number: int, event: Event) -> None:
        """Leave an event; from any thread."""
        self._waiting.append((number, event))
        with contextlib.suppress(OSError):  # enough to wake anybody is there already, or nobody listens any more
            os.write(self._wake, b".")

    def taken(self) -> list[tuple[int, Event]]:
        """Return what waits, in order."""
        with contextlib.suppress(BlockingIOError):
            os.read(self._some, 4096)
        found = []
        while self._waiting:
            found.append(self._waiting.popleft())
        return found


@dataclass(frozen=True)
class Stamp:
    """What changes with a save."""

    mtime_ns: int
    size: int


class Watched:
    """One file, by its path: an editor may write it, or put another in its place."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen = stamp_of(path)
        self._resting = True
        self._looked = time.monotonic()

    def was_saved(self) -> bool:
        """Look once more; return whether the file has changed, and then not between two looks: it is whole.

        Called again within `APART` seconds it does not look.
        """
        if time.monotonic() - self._looked < APART:
            return False
        self._looked = time.monotonic()
        now = stamp_of(self._path)
        if now != self._seen:
            self._seen, self._resting = now, False
            return False
        saved, self._resting = not self._resting, True
        return saved


def stamp_of(path: Path) -> Stamp | None:
    """Return a file's stamp; `None` where there is no file, or none that can be looked at."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return Stamp(found.st_mtime_ns, found.st_size)
