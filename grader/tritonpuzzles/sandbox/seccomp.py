"""A filter on system calls: calls that neither kernels nor their compilers need are refused with EPERM.

It covers what Landlock does not: memory of other processes, sockets, modes and owners of files, other namespaces.
Children inherit it, and it applies to all threads.
"""

from __future__ import annotations

import ctypes
import errno
import struct
from collections.abc import Sequence
from dataclasses import dataclass

from tritonpuzzles.sandbox.kernel import NUMBERS, machine, no_new_privileges, syscall

SET_MODE_FILTER = 1
ALL_THREADS = 1
LOAD, ALU_AND, EQUAL, AT_LEAST, RETURN = 0x20, 0x54, 0x15, 0x35, 0x06  # classic BPF, on 32-bit words
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
NUMBER_AT, MACHINE_AT, ARGUMENTS_AT = 0, 4, 16  # offsets in `struct seccomp_data`
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
X32 = 0x40000000  # numbers of x86_64's other table
WORD = 0xFFFFFFFF

REFUSED = (
    # other processes' memory and descriptors, and their limits and priorities
    "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp", "process_madvise", "process_mrelease",
    "setpriority",
    # Landlock refuses only TCP, and a service behind a unix socket might start programs for this user
    "connect",
    # namespaces and mounts
    "unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "open_tree", "open_tree_attr", "move_mount",
    "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr",
    # parts of the kernel with a history of vulnerabilities
    "bpf", "perf_event_open", "add_key", "request_key", "keyctl", "userfaultfd", "io_uring_setup", "io_uring_enter",
    "io_uring_register",
    # modes, owners, times and attributes of files, for which Landlock has no right
    "chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat", "setxattr", "lsetxattr",
    "fsetxattr", "setxattrat", "removexattr", "lremovexattr", "fremovexattr", "removexattrat", "open_by_handle_at",
    "utime", "utimes", "futimesat", "utimensat",
    # memory, semaphores and queues that outlive every process
    "shmget", "semget", "msgget", "mq_open",
    # settings of the machine: a container's root may have the right
    "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot", "swapon", "swapoff",
    "acct", "syslog", "quotactl", "quotactl_fd", "settimeofday", "clock_settime", "adjtimex", "clock_adjtime",
    "sethostname", "setdomainname", "iopl", "ioperm",
)  # fmt: skip


@dataclass(frozen=True)
class Condition:
    """A system call that is refused for some argument values; a call with several conditions must pass all."""

    call: str  # its name
    argument: int  # its position, from 0; only the lower 32 bits are compared
    values: tuple[int, ...]  # to compare it with
    mask: int = WORD  # of the bits to compare
    refuses: bool = True  # refuse these values; otherwise all but these


CONDITIONS = (
    Condition("clone", 0, (0,), mask=0x7E020080, refuses=False),  # CLONE_NEW*
    Condition("kill", 0, (0,), mask=0x80000000, refuses=False),  # one process at a time
    Condition("prlimit64", 0, (0,), refuses=False),  # its own limits
    Condition("socket", 0, (1,), refuses=False),  # AF_UNIX: CUDA listens on one
    Condition("socket", 1, (1, 5), mask=0xF, refuses=False),  # streams and packets: a datagram may go to any socket
    Condition("socketpair", 1, (1, 5), mask=0xF, refuses=False),
    Condition("prctl", 0, (1,)),  # PR_SET_PDEATHSIG: it ends with its parent
    Condition("ioctl", 1, (0x5412, 0x541C)),  # TIOCSTI, TIOCLINUX: typing into a terminal
)

Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, value


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def filter_calls() -> None:
    """Refuse the listed calls from now on, in this process and its children.

    Raises OSError if the kernel has no such filters, or none for this machine.
    """
    known = machine()
    if known is None:
        raise OSError(errno.ENOSYS, "no filter is known for this machine")
    code = b"".join(struct.pack("=HBBI", *instruction) for instruction in program(known))
    described = _Program(len(code) // 8, code)
    no_new_privileges()
    syscall("seccomp", SET_MODE_FILTER, ALL_THREADS, ctypes.addressof(described))


def program(name: str) -> list[Instruction]:
    """Return the filter for a machine, "x86_64" or "aarch64"."""
    numbers = NUMBERS[name]
    begin = [
        (LOAD, 0, 0, MACHINE_AT),
        (EQUAL, 1, 0, MACHINES[name]),
        _refuse(errno.EPERM),  # calls of 32-bit programs, which have other numbers
        (LOAD, 0, 0, NUMBER_AT),
    ]
    if name == "x86_64":
        begin += [(AT_LEAST, 0, 1, X32), _refuse(errno.EPERM)]
    blocks = [_block(numbers[call], [_refuse(errno.EPERM)]) for call in REFUSED if call in numbers]
    blocks.append(_block(numbers["clone3"], [_refuse(errno.ENOSYS)]))  # the C library then calls clone, checked below
    for call in dict.fromkeys(condition.call for condition in CONDITIONS):
        judged = [_judged(condition) for condition in CONDITIONS if condition.call == call]
        blocks.append(_block(numbers[call], [*(step for steps in judged for step in steps), (RETURN, 0, 0, ALLOW)]))
    return [*begin, *(instruction for block in blocks for instruction in block), (RETURN, 0, 0, ALLOW)]


def _block(number: int, body: Sequence[Instruction]) -> list[Instruction]:
    """Return the instructions for one call; the body ends with a decision."""
    return [(EQUAL, 0, len(body), number), *body]


def _judged(condition: Condition) -> list[Instruction]:
    """Return instructions that refuse a call by one argument, and otherwise continue after them."""
    read = [(LOAD, 0, 0, ARGUMENTS_AT + 8 * condition.argument), (ALU_AND, 0, 0, condition.mask)]
    refuse = _refuse(errno.EPERM)
    if condition.refuses:
        return [*read, *(step for value in condition.values for step in ((EQUAL, 0, 1, value), refuse))]
    left = range(len(condition.values), 0, -1)  # instructions to jump over when a value is one of the allowed
    return [*read, *((EQUAL, jump, 0, value) for jump, value in zip(left, condition.values, strict=True)), refuse]


def _refuse(number: int) -> Instruction:
    return (RETURN, 0, 0, ERRNO | number)
