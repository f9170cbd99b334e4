"""The calls into the Linux kernel that Python has no functions for.

Elsewhere each of them raises the `OSError` of a call that is not there; so does `syscall` on a Linux that is not
64-bit x86_64 or aarch64, of which the numbers are not known.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import sys
from functools import cache

from tritonpuzzles.sandbox.numbers import NUMBERS

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_CLEAR_ALL = 4


def machine() -> str | None:
    """Return the name of the machine whose system calls are known here, or nothing."""
    name = platform.machine()
    known = sys.platform == "linux" and name in NUMBERS and sys.maxsize > 1 << 32
    return name if known else None


def syscall(name: str, *arguments: int | bytes) -> int:
    """Make a system call and return what it gives.

    Args:
        name: as the manual has it.
        arguments: numbers, or memory that the kernel reads.

    Raises:
        OSError: as the kernel says it; `ENOSYS` where there is no such call.
    """
    known = machine()
    if known is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), name)
    words = [ctypes.c_char_p(a) if isinstance(a, bytes) else ctypes.c_long(a) for a in arguments]
    return _checked(_libc().syscall(ctypes.c_long(NUMBERS[known][name]), *words), name)


def prctl(option: int, *arguments: int) -> int:
    """Change something about this process: `prctl(2)`.

    Raises:
        OSError: as the kernel says it; `ENOSYS` on other systems.
    """
    if sys.platform != "linux":
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), "prctl")
    words = [ctypes.c_ulong(argument) for argument in (*arguments, 0, 0, 0, 0)[:4]]
    return _checked(_libc().prctl(ctypes.c_int(option), *words), "prctl")


def no_new_privileges() -> None:
    """Let no program that this process starts have more rights than it has: what follows may be asked for then."""
    prctl(PR_SET_NO_NEW_PRIVS, 1)


def die_with_parent(number: int) -> None:
    """Have the kernel send this process a signal when its parent is gone."""
    prctl(PR_SET_PDEATHSIG, number)


def not_dumpable() -> None:
    """Close this process's memory, environment and descriptors to others of the same user, until it starts a program.

    A process with the capability SYS_PTRACE, as root has it, is not kept out by this.
    """
    prctl(PR_SET_DUMPABLE, 0)


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int, name: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), name)
    return result
