"""A PID namespace: when its first process ends, the kernel ends all that are in it, whatever they made of themselves.

With it goes an IPC namespace: System V memory, semaphores and queues end with the last process, too.

An ordinary user gets one inside a user namespace, where the system allows that.
"""

from __future__ import annotations

import os
from pathlib import Path

from tritonpuzzles.sandbox.kernel import syscall

NEW_MOUNTS, NEW_IPC, NEW_USER, NEW_PIDS = 0x00020000, 0x08000000, 0x10000000, 0x20000000  # CLONE_NEW*
NEW = NEW_PIDS | NEW_IPC | NEW_MOUNTS
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REC, MS_PRIVATE = 1 << 1, 1 << 2, 1 << 3, 1 << 14, 1 << 18


def enter() -> None:
    """Have the next process that this one forks be the first of a new PID namespace, with IPC and mounts of its own.

    Call it before any thread runs. This process itself stays outside.

    Raises:
        OSError: if the system does not allow it; nothing has changed then.
    """
    try:
        syscall("unshare", NEW)  # root may
    except OSError:
        _try_as_user()
        _as_user()


def own_proc() -> None:
    """Show this namespace's processes alone in /proc; to be called by its first process.

    Raises:
        OSError: if the system does not allow it, as in a container that hides parts of /proc.
    """
    syscall("mount", b"none", b"/", 0, MS_REC | MS_PRIVATE, 0)  # what is mounted now concerns nobody outside
    syscall("mount", b"proc", b"/proc", b"proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, 0)


def _as_user() -> None:
    user, group = os.geteuid(), os.getegid()
    syscall("unshare", NEW_USER | NEW)
    Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1", encoding="ascii")


def _try_as_user() -> None:
    """Try it in a child, for half of it cannot be undone.

    Raises:
        OSError: as the child got it.
    """
    child = os.fork()
    if not child:
        try:
            _as_user()
        except OSError as error:
            os._exit(error.errno or 255)
        os._exit(0)
    number = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if number:
        raise OSError(number, os.strerror(number), "unshare")
