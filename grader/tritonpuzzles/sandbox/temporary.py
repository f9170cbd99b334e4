"""Folders and files in memory for what a process needs for a while.

It removes its folders, however deep, long-named or closed hostile code has made them; where it was killed, a later
process does. A lock says whose folder is still in use: the system gives it back however its holder ends.
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
AT_ONCE = 1000  # names that are read before what bears them is removed
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
SEALS = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL


class Scratch:
    """A new folder in the temporary directory, for this user alone, locked as long as this process lives.

    Attributes:
        path: of the folder.
    """

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX))
        self._lock: int | None = os.open(self.path, FOLDER)
        with contextlib.suppress(OSError):  # a file system without locks: nobody else can lock it either
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def give(self, user: int | None) -> None:
        """Let a user have it with all that is in it, if this process is root's and one is named.

        Where that cannot be, that one cannot become the user either, and says so.
        """
        if user is not None:
            with contextlib.suppress(OSError):
                give(self.path, user)

    def remove(self) -> None:
        """Remove it with all that is in it; may be called twice. What cannot be removed stays."""
        if self._lock is not None:
            with contextlib.suppress(OSError):
                remove_tree(self.path)
            os.close(self._lock)
            self._lock = None


def remove_abandoned() -> None:
    """Remove this user's folders whose processes have ended without; root those of every user, for it gives them."""
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            lock = os.open(path, FOLDER)
            try:
                about = os.fstat(lock)
                if os.geteuid() in (0, about.st_uid) and time.time() - about.st_mtime > UNLOCKED_SECONDS:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises where it is in use
                    remove_tree(path)
            finally:
                os.close(lock)


def give(path: Path, user: int) -> None:
    """Make a user the owner of a folder and of all that is in it, before anything of the user's has run.

    Raises OSError if this process may not.
    """
    for folder, _, files in os.walk(path):
        for name in (folder, *(os.path.join(folder, file) for file in files)):
            os.chown(name, user, user, follow_symlinks=False)


def remove_tree(path: Path) -> None:
    """Remove a folder with all that is in it, when the processes that filled it have ended; no link is followed.

    A folder within a folder is moved up to the top before it takes its turn: so nothing recurses, no path is longer
    than one name, and two open descriptors do.

    Raises OSError if something cannot be removed; what was removed until then is gone.
    """
    if not path.is_dir():
        return
    top = _open(str(path), None)
    fresh = map(f"{uuid.uuid4().hex}-{{}}".format, itertools.count())  # names that nobody has foreseen
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
                    os.chmod(inner, 0o700, dir_fd=folder)  # or its entry ".." could not be changed
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
    """Return a descriptor of a file in memory that holds some bytes, sealed; to be given to a child and closed.

    The name is shown in `/proc` alone.

    Raises OSError if there is no memory for it.
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
    """Return what a sealed file holds, from its beginning, whoever has read from it before.

    Raises OSError if it is not sealed, or holds more than `max_bytes`.
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
