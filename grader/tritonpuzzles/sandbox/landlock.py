"""Landlock: which files a process and its children may touch from now on, asked of the kernel without being root.

What is not granted is refused, for good. It also closes the memory and the environment of every process outside:
those need the right to trace, which a confined process has only over what is confined with it.
"""

from __future__ import annotations

import os
import stat
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntFlag
from pathlib import Path

from tritonpuzzles.sandbox.kernel import no_new_privileges, syscall

VERSION = 1  # flag: tell the version of the interface
RULE_PATH_BENEATH = 1
ALL_THREADS = 1 << 3  # from version 8 on; before it only the calling thread and what it starts
NEWEST = 8
NETWORK = 0b11  # bind and connect, TCP
SCOPES = 0b11  # abstract unix sockets, signals


class Access(IntFlag):
    """Rights on files and folders; a right of a folder holds for all below it."""

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
    """Rights on a path; a path that is not there, or cannot be opened, grants nothing."""

    path: Path
    access: Access


def version() -> int:
    """Return the version of Landlock that the kernel has.

    Raises:
        OSError: if it has none, or it is switched off.
    """
    return syscall("landlock_create_ruleset", 0, 0, VERSION)


def known_to(abi: int) -> Access:
    """Return the rights that a version of Landlock knows and so can refuse."""
    return Access(sum(right for right in Access if all(right not in new or abi >= at for at, new in SINCE.items())))


def restrict(grants: Iterable[Grant]) -> int:
    """Refuse this process, and what it starts, every file that is not granted, TCP, and signals to others.

    Other threads that run already are not held before version 8.

    Returns:
        The version of Landlock; TCP is refused from 4 on, signals and abstract sockets from 6 on.

    Raises:
        OSError: if the kernel has no Landlock; nothing is refused then.
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
