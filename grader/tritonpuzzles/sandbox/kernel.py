"""Linux system calls that Python has no functions for, their numbers, and the use of them to drop root's capabilities.

On other systems each raises an OSError with ENOSYS; so does `syscall` on a Linux that is not 64-bit x86_64 or aarch64,
as the numbers are unknown. `Held` lists the measures that confine a process, and those that failed, with reasons.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import platform
import signal
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

BOTH = {  # calls added since 2019 have the same number on both
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428, "move_mount": 429,
    "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433, "clone3": 435, "pidfd_getfd": 438,
    "process_madvise": 440, "mount_setattr": 442, "quotactl_fd": 443, "landlock_create_ruleset": 444,
    "landlock_add_rule": 445, "landlock_restrict_self": 446, "process_mrelease": 448, "fchmodat2": 452,
    "setxattrat": 463, "removexattrat": 466, "open_tree_attr": 467,
}  # fmt: skip
X86_64 = {
    "ioctl": 16, "shmget": 29, "socket": 41, "connect": 42, "accept": 43, "bind": 49, "listen": 50, "socketpair": 53,
    "clone": 56, "kill": 62, "semget": 64, "msgget": 68, "chmod": 90, "fchmod": 91, "chown": 92, "fchown": 93,
    "lchown": 94, "ptrace": 101, "syslog": 103, "capset": 126, "utime": 132, "setpriority": 141, "pivot_root": 155,
    "prctl": 157, "adjtimex": 159, "chroot": 161, "acct": 163, "settimeofday": 164, "mount": 165, "umount2": 166,
    "swapon": 167, "swapoff": 168, "reboot": 169, "sethostname": 170, "setdomainname": 171, "iopl": 172,
    "ioperm": 173, "init_module": 175, "delete_module": 176, "quotactl": 179, "setxattr": 188, "lsetxattr": 189,
    "fsetxattr": 190, "removexattr": 197, "lremovexattr": 198, "fremovexattr": 199, "clock_settime": 227,
    "utimes": 235, "mq_open": 240, "kexec_load": 246, "add_key": 248, "request_key": 249, "keyctl": 250,
    "fchownat": 260, "futimesat": 261, "fchmodat": 268, "unshare": 272, "utimensat": 280, "accept4": 288,
    "perf_event_open": 298, "prlimit64": 302, "open_by_handle_at": 304, "clock_adjtime": 305, "setns": 308,
    "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312, "finit_module": 313, "seccomp": 317,
    "kexec_file_load": 320, "bpf": 321, "userfaultfd": 323,
}  # fmt: skip
AARCH64 = {
    "setxattr": 5, "lsetxattr": 6, "fsetxattr": 7, "removexattr": 14, "lremovexattr": 15, "fremovexattr": 16,
    "ioctl": 29, "umount2": 39, "mount": 40, "pivot_root": 41, "chroot": 51, "fchmod": 52, "fchmodat": 53,
    "fchownat": 54, "fchown": 55, "quotactl": 60, "utimensat": 88, "acct": 89, "capset": 91, "unshare": 97,
    "kexec_load": 104, "init_module": 105, "delete_module": 106, "clock_settime": 112, "syslog": 116, "ptrace": 117,
    "kill": 129, "setpriority": 140, "reboot": 142, "sethostname": 161, "setdomainname": 162, "prctl": 167,
    "settimeofday": 170, "adjtimex": 171, "mq_open": 180, "msgget": 186, "semget": 190, "shmget": 194, "socket": 198,
    "socketpair": 199, "bind": 200, "listen": 201, "accept": 202, "connect": 203, "add_key": 217, "request_key": 218,
    "keyctl": 219, "clone": 220, "swapon": 224, "swapoff": 225, "perf_event_open": 241, "accept4": 242,
    "prlimit64": 261, "open_by_handle_at": 265, "clock_adjtime": 266, "setns": 268, "process_vm_readv": 270,
    "process_vm_writev": 271, "kcmp": 272, "finit_module": 273, "seccomp": 277, "bpf": 280, "userfaultfd": 282,
    "kexec_file_load": 294,
}  # fmt: skip
NUMBERS = {"x86_64": X86_64 | BOTH, "aarch64": AARCH64 | BOTH}
PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_KEEPCAPS = 8
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_CLEAR_ALL = 4
DAC_READ_SEARCH = 2
CAPABILITIES_VERSION = 0x20080522  # of `struct __user_cap_header_struct`: two words of 32 capabilities


def machine() -> str | None:
    """Return the name of this machine if its system call numbers are known here, else `None`."""
    name = platform.machine()
    known = sys.platform == "linux" and name in NUMBERS and sys.maxsize > 1 << 32
    return name if known else None


def syscall(name: str, *arguments: int | bytes) -> int:
    """Make a system call and return its result; raises the kernel's OSError, or ENOSYS on an unknown machine."""
    known = machine()
    if known is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), name)
    words = [ctypes.c_char_p(a) if isinstance(a, bytes) else ctypes.c_long(a) for a in arguments]
    return _checked(_libc().syscall(ctypes.c_long(NUMBERS[known][name]), *words), name)


def prctl(option: int, *arguments: int) -> int:
    """Call `prctl(2)` on this process; raises the kernel's OSError, or ENOSYS on other systems."""
    if sys.platform != "linux":
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), "prctl")
    words = [ctypes.c_ulong(argument) for argument in (*arguments, 0, 0, 0, 0)[:4]]
    return _checked(_libc().prctl(ctypes.c_int(option), *words), "prctl")


def no_new_privileges() -> None:
    """Forbid programs that this process starts to gain rights: Landlock and seccomp require that."""
    prctl(PR_SET_NO_NEW_PRIVS, 1)


def die_with_parent(number: int) -> None:
    """Make the kernel send this process a signal when its parent ends."""
    prctl(PR_SET_PDEATHSIG, number)


def not_dumpable() -> None:
    """Close this process's memory, environment and descriptors to others of the same user, until it starts a program.

    This does not stop a process with the capability SYS_PTRACE, such as root's.
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


def become(user: int) -> None:
    """Become another user, with its own group, and keep one of root's capabilities: to read any file.

    Python and its packages may be in folders that only root can read. Files that the user writes belong to nobody else,
    and the user cannot change root's files and processes. If nothing else restricts reading, `confine` drops that
    capability, too. Raises OSError if this process may not, or the system has no such number.
    """
    _permitted()  # imports what decoding needs, while root can read it
    prctl(PR_SET_KEEPCAPS, 1)
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    drop_capabilities(reading=True)
    prctl(PR_SET_DUMPABLE, 1)  # until later code has written to its /proc, which otherwise belongs to root
    die_with_parent(signal.SIGKILL)  # the kernel resets it when the user changes


def drop_capabilities(reading: bool | None = None) -> str | None:
    """Drop all capabilities except perhaps DAC_READ_SEARCH; return "" if this thread had none, else `None`.

    `reading` says whether to keep that one if this thread has it; by default only root does. Raises OSError if the
    kernel does not have capabilities.
    """
    had = _permitted()
    with contextlib.suppress(OSError):  # kernels before 4.3
        prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    for capability in range(64):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.EINVAL):
                raise
            break  # not permitted to an ordinary user, or no more capabilities exist
    keeps = os.geteuid() == 0 if reading is None else reading
    kept = had & 1 << DAC_READ_SEARCH if keeps else 0  # an ordinary user has them in its own user namespace
    header = struct.pack("=Ii", CAPABILITIES_VERSION, 0)
    syscall("capset", header, struct.pack("=6I", kept, kept, 0, 0, 0, 0))
    return None if had else ""


def _permitted() -> int:
    with open("/proc/self/status", encoding="ascii", errors="replace") as status:
        fields = dict(line.split(":", 1) for line in status if ":" in line)
    return int(fields["CapPrm"], 16)


@dataclass(frozen=True)
class Held:
    """The results of confining a process."""

    holds: tuple[str, ...] = ()  # what the kernel now enforces: "Landlock 7", "a PID namespace"
    missing: tuple[str, ...] = ()  # what failed, each with its reason: "a PID namespace (Operation not permitted)"

    def __add__(self, other: Held) -> Held:
        return Held(self.holds + other.holds, self.missing + other.missing)

    def __str__(self) -> str:
        if not self.holds:
            return f"Nothing here holds a submission: it may do all that its user may ({'; '.join(self.missing)})."
        *others, last = self.holds
        held = f"A submission is held by {' and '.join(filter(None, [', '.join(others), last]))}"
        return f"{held}; not by {'; '.join(self.missing)}." if self.missing else f"{held}."


def attempt(name: str, deed: Callable[[], str | None], alone: bool = True) -> Held:
    """Take a measure that confines this process, and return whether it worked.

    Args:
        name: of the measure.
        deed: called without arguments; may return a better name, or an empty one if there is nothing to report.
        alone: whether the measure is a protection by itself; if not, it is reported only if it fails.
    """
    try:
        told = deed()
    except OSError as error:
        return Held(missing=(f"{name} ({error.strerror or error})",))
    words = name if told is None else told
    return Held((words,) if words and alone else ())
