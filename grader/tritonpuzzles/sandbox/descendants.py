"""Find and end all that a process has started, by parentage: for where there is no PID namespace.

A process cannot change who its parent is. When that one ends, it falls to the nearest ancestor that is a subreaper.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Collection
from pathlib import Path

from tritonpuzzles.sandbox.kernel import PR_SET_CHILD_SUBREAPER, prctl

SECONDS = 5.0  # a fork bomb may be faster than we are


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends.

    Raises:
        OSError: if the system does not have it.
    """
    prctl(PR_SET_CHILD_SUBREAPER, 1)


def descendants(ancestor: int, sparing: Collection[int] = ()) -> set[int]:
    """Return the processes that descend from one, zombies included, without those to spare and what is below them."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            stat = (entry / "stat").read_bytes().rpartition(b")")[2].split()  # behind the name, which may hold anything
            children.setdefault(int(stat[1]), []).append(int(entry.name))
    found: set[int] = set()
    waiting = [ancestor]
    while waiting:
        for child in children.get(waiting.pop(), []):
            if child not in found and child not in sparing:
                found.add(child)
                waiting.append(child)
    return found


def end_descendants(sparing: Collection[int] = ()) -> bool:
    """End all that descend from this process, which has adopted orphans; return whether none is left.

    Children to spare, and what is below them, are left alone. The others are stopped before they are killed, so that
    none starts another one in between.
    """
    deadline = time.monotonic() + SECONDS
    while found := descendants(os.getpid(), sparing):
        if time.monotonic() > deadline:
            return False
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in found:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)
        reap(found)
    return True


def reap(processes: Collection[int]) -> None:
    """Take note of those among some processes that are children, and have ended."""
    for pid in processes:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
