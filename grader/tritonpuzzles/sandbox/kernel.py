"""The calls into the Linux kernel that Python has no functions for, their numbers, and root's powers given up by them.

Elsewhere each of them raises the `OSError` of a call that is not there; so does `syscall` on a Linux that is not
64-bit x86_64 or aarch64, of which the numbers are not known. `Held` is what holds a process, and what does not and why.
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

BOTH = {  # those that came after 2019 have one number everywhere
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
    """Return the name of the machine whose system calls are known here, or nothing."""
    name = platform.machine()
    known = sys.platform == "linux" and name in NUMBERS and sys.maxsize > 1 << 32
    return name if known else None


def syscall(name: str, *arguments: int | bytes) -> int:
    """Make a system call and return what it gives; an OSError is the kernel's, or `ENOSYS` where there is none."""
    known = machine()
    if known is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), name)
    words = [ctypes.c_char_p(a) if isinstance(a, bytes) else ctypes.c_long(a) for a in arguments]
    return _checked(_libc().syscall(ctypes.c_long(NUMBERS[known][name]), *words), name)


def prctl(option: int, *arguments: int) -> int:
    """Change something about this process: `prctl(2)`. An OSError is the kernel's, or `ENOSYS` on other systems."""
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


def become(user: int) -> None:
    """Go on as another user, of a group of its own, with one power of root's: to read what it is not kept from.

    Python and its packages may lie where root alone may look. Of what the user writes, nothing is anybody else's; and
    no file and no process of root's is the user's. Where nothing else bounds reading, `confine` takes that, too.

    Raises OSError if this process may not, or the system has no such number.
    """
    _permitted()  # imports what that takes, while root reads it
    prctl(PR_SET_KEEPCAPS, 1)
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    drop_capabilities(reading=True)
    prctl(PR_SET_DUMPABLE, 1)  # until what follows has written to its own /proc, which else is root's
    die_with_parent(signal.SIGKILL)  # the kernel forgets that with the user


def drop_capabilities(reading: bool | None = None) -> str | None:
    """Keep no capability but DAC_READ_SEARCH, and that only where this thread has it; say "" where it has none at all.

    Args:
        reading: whether to keep that one; by default root keeps it.

    Raises OSError if the kernel does not have capabilities.
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
            break  # an ordinary user has none to drop; or there are no more
    keeps = os.geteuid() == 0 if reading is None else reading
    kept = had & 1 << DAC_READ_SEARCH if keeps else 0  # a user has them in a user namespace of its own
    header = struct.pack("=Ii", CAPABILITIES_VERSION, 0)
    syscall("capset", header, struct.pack("=6I", kept, kept, 0, 0, 0, 0))
    return None if had else ""


def _permitted() -> int:
    with open("/proc/self/status", encoding="ascii", errors="replace") as status:
        fields = dict(line.split(":", 1) for line in status if ":" in line)
    return int(fields["CapPrm"], 16)


@dataclass(frozen=True)
class Held:
    """What was tried to confine a process."""

    holds: tuple[str, ...] = ()  # what the kernel now enforces: "Landlock 7", "a PID namespace"
    missing: tuple[str, ...] = ()  # what it does not, each with its reason: "a PID namespace (Operation not permitted)"

    def __add__(self, other: Held) -> Held:
        return Held(self.holds + other.holds, self.missing + other.missing)

    def __str__(self) -> str:
        if not self.holds:
            return f"Nothing here holds a submission: it may do all that its user may ({'; '.join(self.missing)})."
        *others, last = self.holds
        held = f"A submission is held by {' and '.join(filter(None, [', '.join(others), last]))}"
        return f"{held}; not by {'; '.join(self.missing)}." if self.missing else f"{held}."


def attempt(name: str, deed: Callable[[], str | None], alone: bool = True) -> Held:
    """Do what confines a process, and say whether that worked.

    Args:
        name: what holds when it did.
        deed: called without arguments; may return a better name, or an empty one where it held nothing worth a word.
        alone: whether it keeps anything away by itself; if not, it is worth a word only where it fails.
    """
    try:
        told = deed()
    except OSError as error:
        return Held(missing=(f"{name} ({error.strerror or error})",))
    words = name if told is None else told
    return Held((words,) if words and alone else ())
