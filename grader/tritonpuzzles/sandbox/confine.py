"""Confine a process in one call; limit its resources; and report what this machine enforces.

The address space is not limited, as CUDA maps more than exists; nor is the number of processes, which is per user.
"""

from __future__ import annotations

import errno
import json
import os
import resource
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from tritonpuzzles.sandbox import landlock, seccomp
from tritonpuzzles.sandbox.interpreter import python_code, python_environment
from tritonpuzzles.sandbox.kernel import Held, attempt, drop_capabilities, not_dumpable
from tritonpuzzles.sandbox.landlock import READ, THREADS, WRITE, Grant, around, python, system
from tritonpuzzles.sandbox.supervisor import supervise

LARGEST_FILE = 4 << 30
DATA_BYTES = 4 << 30  # on top of a process's memory when it is limited
OPEN_FILES = 4096
SECONDS = 60


def confine(
    writable: Iterable[Path], readable: Iterable[Path] = (), secrets: Sequence[Path] = (), user: int | None = None
) -> Held:
    """Confine this process, and all that it starts, permanently; return what the kernel enforces and what it does not.

    Call it once, after the heavy imports and before the first line of a submission. Files that Python, torch and Triton
    need stay readable; open descriptors stay open. If the kernel cannot enforce something, the result says so.

    Args:
        writable: folders that may be changed and read.
        readable: files and folders that may be read, besides the interpreter's.
        secrets: files and folders among these that may not be read or written.
        user: the one that this process should have become if it was root's; see `supervise`.
    """
    reading = None if user is None else True
    own = (Grant(folder, READ | WRITE) for folder in writable)
    grants = [*system(), *around([*python(), *readable], secrets), *own]
    steps = (
        attempt("limits", limit, alone=False),
        attempt("being the first to end when memory runs out", end_first, alone=False),
        attempt("memory closed to others", not_dumpable, alone=False),
        attempt("the loss of root's powers", lambda: drop_capabilities(reading)),
        attempt("Landlock", lambda: _landlock(grants)),
        attempt("a filter on system calls", seccomp.filter_calls),
    )
    return sum(steps, Held())


def _landlock(grants: Iterable[Grant]) -> str:
    try:
        abi = landlock.restrict(grants)
    except OSError:
        if os.geteuid() != 0:  # only file ownership protects files then
            drop_capabilities()
        raise
    os.open(THREADS, os.O_PATH | os.O_CLOEXEC)  # stays open: the kernel may drop an unused folder of /proc
    threads = len(os.listdir(THREADS))
    if abi < landlock.NEWEST and threads > 1:
        return f"Landlock {abi} in one of {threads} threads"
    return f"Landlock {abi}"


def limit() -> None:
    """Limit this process, and its children, to no core dumps, files of 4 GiB and 4,096 open files.

    Raises OSError if the system refuses.
    """
    _allow(resource.RLIMIT_CORE, 0)
    _allow(resource.RLIMIT_FSIZE, LARGEST_FILE)
    _allow(resource.RLIMIT_NOFILE, OPEN_FILES)


def _allow(which: int, most: int) -> None:
    _, hard = resource.getrlimit(which)
    allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(which, (allowed, allowed))


def limit_data() -> None:
    """Limit this process, and its children, to its present private writable memory plus `DATA_BYTES`.

    Raises OSError if the system does not report the present amount.
    """
    with open("/proc/self/status", encoding="ascii", errors="replace") as status:
        has = next((int(line.split()[1]) << 10 for line in status if line.startswith("VmData:")), None)
    if has is None:
        raise OSError(errno.ENOSYS, "the system does not tell how much memory a process has")
    _allow(resource.RLIMIT_DATA, has + DATA_BYTES)


def ended_for_memory() -> int:
    """Return how many processes this system has killed so far because memory ran out; 0 if it does not count them."""
    try:
        counts = Path("/proc/vmstat").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in counts if line.startswith("oom_kill ")), 0)


def end_first() -> None:
    """Make the kernel kill this process and its children first when memory runs out; raises OSError on failure."""
    Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


def report() -> Held:
    """Confine a process that does nothing else, and return its report; `str` of it is a sentence."""
    try:
        done = subprocess.run(
            python_code(f"from {__name__} import tell; tell()"),
            env=python_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=True,
        )
        told = json.loads(done.stdout)
        return Held(tuple(told["holds"]), tuple(told["missing"]))
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        return Held(missing=(f"a trial of it failed: {error}",))


def tell() -> None:
    """Confine this process, which does nothing else, and print as JSON what is enforced."""
    held = supervise() + confine([])
    print(json.dumps({"holds": held.holds, "missing": held.missing}), flush=True)
