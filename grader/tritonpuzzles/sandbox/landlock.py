"""Landlock: restrict the files that a process and its children may access, without being root.

Access that is not granted is refused permanently. It also protects the memory and the environment of every process
outside: these require the right to trace, which a confined process has only over processes confined with it. Landlock
has only rules that allow: a folder that contains a secret is allowed by its other entries, one by one.
"""

from __future__ import annotations

import os
import stat
import struct
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntFlag
from pathlib import Path

from tritonpuzzles.sandbox.kernel import no_new_privileges, syscall

VERSION = 1  # flag: return the version of the interface
RULE_PATH_BENEATH = 1
ALL_THREADS = 1 << 3  # from version 8 on; before, only the calling thread and its children
NEWEST = 8
NETWORK = 0b11  # bind and connect, TCP
SCOPES = 0b11  # abstract unix sockets, signals
SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store",
    "/run/opengl-driver", "/proc", "/sys",
    "/etc/alternatives", "/etc/group", "/etc/host.conf", "/etc/hosts", "/etc/ld.so.cache", "/etc/ld.so.conf",
    "/etc/ld.so.conf.d", "/etc/ld.so.preload", "/etc/locale.alias", "/etc/localtime", "/etc/mime.types",
    "/etc/nsswitch.conf", "/etc/os-release", "/etc/passwd", "/etc/python3", "/etc/ssl", "/etc/nvidia",
)  # fmt: skip
NUMBERS = ("/dev/random", "/dev/urandom")
SINKS = ("/dev/null", "/dev/zero", "/dev/full")
THREADS = "/proc/self/task"  # CUDA writes its threads' names there, and fails to start if it cannot
GPUS = ("nvidia*", "dxg", "kfd", "dri")  # NVIDIA's; Windows' under WSL; AMD's


class Access(IntFlag):
    """Rights on files and folders; a right on a folder applies to everything in it."""

    EXECUTE = 1 << 0
    WRITE_FILE = 1 << 1
    READ_FILE = 1 << 2
    READ_DIR = 1 << 3
    REMOVE_DIR = 1 << 4
    REMOVE_FILE = 1 << 5
    MAKE_CHAR = 1 << 6
    MAKE_DIR = 1 << 7
    MAKE_REG = 1 << 8
    MAKE_SOCK = 1 << 9
    MAKE_FIFO = 1 << 10
    MAKE_BLOCK = 1 << 11
    MAKE_SYM = 1 << 12
    REFER = 1 << 13
    TRUNCATE = 1 << 14
    IOCTL_DEV = 1 << 15


READ = Access.EXECUTE | Access.READ_FILE | Access.READ_DIR
NAMES = Access.READ_DIR
DEVICE = Access.READ_FILE | Access.WRITE_FILE | Access.IOCTL_DEV
WRITE = (
    Access.WRITE_FILE | Access.REMOVE_DIR | Access.REMOVE_FILE | Access.MAKE_DIR | Access.MAKE_REG | Access.MAKE_SOCK
    | Access.MAKE_FIFO | Access.MAKE_SYM | Access.REFER | Access.TRUNCATE
)  # fmt: skip
OF_FILES = Access.EXECUTE | Access.WRITE_FILE | Access.READ_FILE | Access.TRUNCATE | Access.IOCTL_DEV
SINCE = {2: Access.REFER, 3: Access.TRUNCATE, 5: Access.IOCTL_DEV}


@dataclass(frozen=True)
class Grant:
    """Rights on a path; one that does not exist, or cannot be opened, grants nothing."""

    path: Path
    access: Access


def version() -> int:
    """Return the kernel's version of Landlock; raises OSError if it has none, or it is disabled."""
    return syscall("landlock_create_ruleset", 0, 0, VERSION)


def known_to(abi: int) -> Access:
    """Return the rights that a version of Landlock knows and so can refuse."""
    return Access(sum(right for right in Access if all(right not in new or abi >= at for at, new in SINCE.items())))


def restrict(grants: Iterable[Grant]) -> int:
    """Refuse this process, and its children, every file that is not granted, TCP, and signals to others.

    Returns the version of Landlock: TCP is refused from 4 on, signals and abstract sockets from 6 on; before 8, other
    threads that run already are not restricted. Raises OSError if the kernel has none; nothing is refused then.
    """
    abi = version()
    handled = known_to(abi)
    network, scopes = (NETWORK if abi >= 4 else 0), (SCOPES if abi >= 6 else 0)
    attributes = struct.pack("=QQQ", handled, network, scopes)
    ruleset = syscall("landlock_create_ruleset", attributes, len(attributes), 0)
    try:
        for grant in grants:
            _add(ruleset, grant, handled)
        no_new_privileges()
        syscall("landlock_restrict_self", ruleset, ALL_THREADS if abi >= NEWEST else 0)
    finally:
        os.close(ruleset)
    return abi


def _add(ruleset: int, grant: Grant, handled: Access) -> None:
    try:
        descriptor = os.open(grant.path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        access = grant.access & handled
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            access &= OF_FILES
        if access:
            rule = struct.pack("=Qi", access, descriptor)
            syscall("landlock_add_rule", ruleset, RULE_PATH_BENEATH, rule, 0)
    finally:
        os.close(descriptor)


def system() -> list[Grant]:
    """Return grants for the system's files that Python, a C compiler and a GPU's driver need, and for devices.

    Call it in the process that will be confined.
    """
    devices = [path for pattern in GPUS for path in Path("/dev").glob(pattern)]
    return [
        *(Grant(Path(path), READ) for path in (*SYSTEM, *NUMBERS)),
        *(Grant(path, DEVICE) for path in (*map(Path, SINKS), *devices)),
        Grant(Path(THREADS), READ | Access.WRITE_FILE | Access.TRUNCATE),
    ]


def python() -> list[Path]:
    """Return the folders of this interpreter, and of everything that it can import."""
    prefixes = (sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix, os.path.dirname(sys.executable))
    libraries = os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    toolkits = (os.environ.get(name, "") for name in ("CUDA_HOME", "CUDA_PATH"))
    absolute = (path for path in (*prefixes, *sys.path, *libraries, *toolkits) if os.path.isabs(path))
    return [Path(path) for path in dict.fromkeys(absolute)]


def around(roots: Iterable[Path], secrets: Sequence[Path]) -> list[Grant]:
    """Return grants to read everything in some files and folders that exist, except the secrets in them.

    The file names in a folder with a secret stay readable, as imports need them. A root is granted even if it lies
    inside a secret of another root.
    """
    hidden = [Path(os.path.realpath(secret)) for secret in secrets]
    grants: dict[Path, Grant] = {}
    for root in roots:
        for grant in _beside(Path(os.path.realpath(root)), hidden):
            grants.setdefault(grant.path, grant)
    return list(grants.values())


def _beside(path: Path, secrets: Sequence[Path]) -> Iterator[Grant]:
    within = [secret for secret in secrets if path in secret.parents]
    if not within:
        yield Grant(path, READ)
        return
    yield Grant(path, NAMES)
    for child in _children(path):
        if child not in within:
            yield from _beside(child, within)


def _children(folder: Path) -> list[Path]:
    """Return the entries of a folder, without links: a link's target needs its own grant."""
    try:
        with os.scandir(folder) as entries:
            return [Path(entry.path) for entry in entries if not entry.is_symlink()]
    except OSError:
        return []
