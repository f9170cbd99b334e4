"""What a process may use up, and who is ended first when memory runs out.

The address space is not limited, for CUDA maps more than there is; nor are processes, which count for the whole user.
"""

from __future__ import annotations

import errno
import resource
from pathlib import Path

LARGEST_FILE = 4 << 30
DATA_BYTES = 4 << 30  # beside what a process has when it is limited
OPEN_FILES = 4096


def limit() -> None:
    """Allow this process, and what it starts, no core dump, no file beyond 4 GiB and no more than 4,096 open files.

    Raises:
        OSError: if the system refuses.
    """
    for which, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, LARGEST_FILE),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
    ):
        _, hard = resource.getrlimit(which)
        allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(which, (allowed, allowed))


def limit_data(more: int = DATA_BYTES) -> None:
    """Allow this process, and what it starts, no more writable memory of its own than it has now and `more` bytes.

    Raises:
        OSError: if the system does not tell what it has.
    """
    with open("/proc/self/status", encoding="ascii", errors="replace") as status:
        has = next((int(line.split()[1]) << 10 for line in status if line.startswith("VmData:")), None)
    if has is None:
        raise OSError(errno.ENOSYS, "the system does not tell how much memory a process has")
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    allowed = has + more if hard == resource.RLIM_INFINITY else min(has + more, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (allowed, allowed))


def ended_for_memory() -> int:
    """Return how many processes this system has ended so far because memory ran out; 0 where it does not count them."""
    try:
        counts = Path("/proc/vmstat").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in counts if line.startswith("oom_kill ")), 0)


def end_first() -> None:
    """Have the kernel end this process, and what it starts, before all others when memory runs out.

    Raises:
        OSError: on a system that has no such file.
    """
    Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
