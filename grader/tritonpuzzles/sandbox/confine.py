"""Everything that holds a process, in one call."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from tritonpuzzles.sandbox import capabilities, landlock, limits, seccomp
from tritonpuzzles.sandbox.held import Held, attempt
from tritonpuzzles.sandbox.kernel import not_dumpable
from tritonpuzzles.sandbox.landlock import READ, WRITE, Grant
from tritonpuzzles.sandbox.readable import THREADS, around, python, system


def confine(writable: Iterable[Path], readable: Iterable[Path] = (), secrets: Sequence[Path] = ()) -> Held:
    """Hold this process, and all that it starts, for good; return what the kernel enforces and what it does not.

    Call it once, after the heavy imports and before the first line of a submission. What Python, torch and Triton need
    stays readable; open descriptors stay open. Nothing is raised where the kernel cannot: the answer says so.

    Args:
        writable: folders that may be changed, and read.
        readable: files and folders that may be read beside the interpreter's.
        secrets: files and folders among these that may not be read, nor written.
    """
    grants = [
        *system(),
        *around([*python(), *readable], secrets),
        *(Grant(folder, READ | WRITE) for folder in writable),
    ]
    steps = (
        attempt("limits", limits.limit, alone=False),
        attempt("being the first to end when memory runs out", limits.end_first, alone=False),
        attempt("memory closed to others", not_dumpable, alone=False),
        attempt("the loss of root's powers", capabilities.drop),
        attempt("Landlock", lambda: _landlock(grants)),
        attempt("a filter on system calls", seccomp.filter_calls),
    )
    return sum(steps, Held())


def _landlock(grants: Iterable[Grant]) -> str:
    abi = landlock.restrict(grants)
    os.open(THREADS, os.O_PATH | os.O_CLOEXEC)  # stays open: the kernel may forget a folder of /proc that nobody holds
    threads = len(os.listdir(THREADS))
    if abi < landlock.NEWEST and threads > 1:
        return f"Landlock {abi} in one of {threads} threads"
    return f"Landlock {abi}"
