"""Temporary folders of a process, and files in memory.

A process removes its folders, even if hostile code has made them very deep, long-named or unreadable; if it was
killed, a later process does. A lock marks a folder in use: the system releases it however its holder ends.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import itertools
import os
import stat
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

PREFIX = "tritonpuzzles-held-"
UNLOCKED_SECONDS = 60.0  # a folder that is younger may belong to a process that has not locked it yet
AT_ONCE = 1000  # directory entries that are read before they are removed
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
SEALS = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL


class Scratch:
    """A new temporary folder, at `path`: accessible only to this user, locked while this process lives."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX))
        self._lock: int | None = os.open(self.path, FOLDER)
        with contextlib.suppress(OSError):  # a file system without locks: nobody else can lock it either
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def give(self, user: int | None) -> None:
        """Make a user, if one is given, the owner of the folder and its contents; needs root.

        A failure is ignored here: the process cannot become the user either then, and reports that.
        """
        if user is not None:
            with contextlib.suppress(OSError):
                give(self.path, user)

    def remove(self) -> None:
        """Remove the folder with its contents, as far as possible; may be called twice."""
        if self._lock is not None:
            with contextlib.suppress(OSError):
                remove_tree(self.path)
            os.close(self._lock)
            self._lock = None


def remove_abandoned() -> None:
    """Remove this user's folders left by ended processes; root removes every user's, as it gives folders to users."""
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            lock = os.open(path, FOLDER)
            try:
                about = os.fstat(lock)
                if os.geteuid() in (0, about.st_uid) and time.time() - about.st_mtime > UNLOCKED_SECONDS:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises if it is in use
                    remove_tree(path)
            finally:
                os.close(lock)


def give(path: Path, user: int) -> None:
    """Make a user the owner of a folder and its contents; call it before any process of the user runs.

    Raises OSError if this process may not.
    """
    for folder, _, files in os.walk(path):
        for name in (folder, *(os.path.join(folder, file) for file in files)):
            os.chown(name, user, user, follow_symlinks=False)


def remove_tree(path: Path) -> None:
    """Remove a folder with its contents, after the processes that filled it have ended; no link is followed.

    A nested folder is first moved to the top level: so nothing recurses, no path is longer than one name, and two open
    descriptors are enough.

    Raises OSError if something cannot be removed; what was removed until then is gone.
    """
    if not path.is_dir():
        return
    top = _open(str(path), None)
    fresh = map(f"{uuid.uuid4().hex}-{{}}".format, itertools.count())  # unpredictable names
    try:
        while names := _names(top):
            for name in names:
                _remove(name, top, fresh)
    finally:
        os.close(top)
    os.rmdir(path)


def _remove(name: str, top: int, fresh: Iterator[str]) -> None:
    """Remove an entry of the top folder, and move folders within it to the top."""
    if not _is_folder(name, top):
        os.unlink(name, dir_fd=top)
        return
    folder = _open(name, top)
    try:
        while names := _names(folder):
            for inner in names:
                if _is_folder(inner, folder):
                    os.chmod(inner, 0o700, dir_fd=folder)  # otherwise its entry ".." could not be changed
                    os.rename(inner, next(fresh), src_dir_fd=folder, dst_dir_fd=top)
                else:
                    os.unlink(inner, dir_fd=folder)
    finally:
        os.close(folder)
    os.rmdir(name, dir_fd=top)


def _open(name: str, above: int | None) -> int:
    os.chmod(name, 0o700, dir_fd=above)
    return os.open(name, FOLDER, dir_fd=above)


def _is_folder(name: str, above: int) -> bool:
    return stat.S_ISDIR(os.stat(name, dir_fd=above, follow_symlinks=False).st_mode)


def _names(folder: int) -> list[str]:
    with os.scandir(folder) as entries:
        return [entry.name for entry in itertools.islice(entries, AT_ONCE)]


def seal(data: bytes, name: str) -> int:
    """Return a descriptor of a sealed file in memory with some bytes, to be passed to a child and closed.

    The name appears only in `/proc`. Raises OSError if there is no memory for it.
    """
    descriptor = os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        left = memoryview(data)
        while left:
            left = left[os.write(descriptor, left) :]
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, SEALS)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def read_sealed(descriptor: int, max_bytes: int) -> bytes:
    """Return the content of a sealed file from its beginning, whatever its current offset.

    Raises OSError if it is not sealed, or larger than `max_bytes`.
    """
    if fcntl.fcntl(descriptor, fcntl.F_GET_SEALS) & SEALS != SEALS:
        raise OSError(errno.EPERM, "The file is not sealed")
    size = os.fstat(descriptor).st_size
    if size > max_bytes:
        raise OSError(errno.EFBIG, f"The file has {size:,} bytes; at most {max_bytes:,} are read")
    data = bytearray()
    while len(data) < size:
        data += os.pread(descriptor, size - len(data), len(data))
    return bytes(data)
