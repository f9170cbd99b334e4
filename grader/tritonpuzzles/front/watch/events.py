"""What the thread that checks tells the one that has the screen, and the way by which it does."""

from __future__ import annotations

import contextlib
import os
from collections import deque
from dataclasses import dataclass

from tritonpuzzles.front.grading import Graded
from tritonpuzzles.results.check import Preliminary
from tritonpuzzles.results.trace import Trace


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
