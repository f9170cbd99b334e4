"""Writing files so that a kill at any moment, or two commands at once, lose nothing."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sys
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.sandbox import read_regular

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

LOCK_SECONDS = 10.0
MAX_BYTES = 1 << 20
_NO_LOCKS_HERE = (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS)


def read_small(path: Path) -> bytes:
    """Return the content of an ordinary file.

    Raises:
        OSError: if there is none, it cannot be read, or it is too large for a puzzle's file.
    """
    return read_regular(path, MAX_BYTES)


def write_atomically(path: Path, data: bytes) -> None:
    """Replace a file in one step: a reader, and a kill, see the old content or the new, never a part.

    Call it under `locked`: the temporary name is fixed, so that kills leave at most one leftover per file.
    A symbolic link stays a link, and the file keeps its permissions; a folder that is not there is made.
    """
    path = Path(os.path.realpath(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.new")
    with temporary.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    if path.exists():
        shutil.copymode(path, temporary)
    temporary.replace(path)
    _sync_folder(path.parent)


def write_file(path: Path, data: str | bytes) -> None:
    """Write a file at a path that the user gave; text as UTF-8.

    Raises:
        FrontError: if it cannot be written.
    """
    try:
        path.write_bytes(data.encode() if isinstance(data, str) else data)
    except OSError as error:
        raise FrontError(f"{path} cannot be written: {error.strerror}.") from error


def unused(folder: Path, name: str, by: str = "") -> Path:
    """Return a dated path in a folder that nothing has yet, with the word `by` before its ending.

    `p03_online_softmax.py` becomes `p03_online_softmax.2026-11-05-142501.reset.py`.
    """
    stem, ending = os.path.splitext(name)
    dated, rest = f"{stem}.{datetime.now():%Y-%m-%d-%H%M%S}", f".{by}{ending}" if by else ending
    path, count = folder / f"{dated}{rest}", 1
    while os.path.lexists(path):
        count += 1
        path = folder / f"{dated}-{count}{rest}"
    return path


@contextlib.contextmanager
def locked(folder: Path, name: str = "lock", seconds: float = LOCK_SECONDS) -> Iterator[None]:
    """Hold a folder's lock, the file `name` in it, against other processes, for the length of a `with` block.

    The system releases the lock of a killed process. On a file system without locks, the block runs without one. A
    folder that is not there is made.

    Raises:
        OSError: if the folder cannot be written to, or another process holds the lock for longer.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / name).open("a") as stream:
        _take(stream.fileno(), time.monotonic() + seconds)
        yield


def _take(descriptor: int, deadline: float) -> None:
    while True:
        try:
            if sys.platform == "win32":
                return msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # one byte, which need not be there
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):  # the latter on Windows
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        except OSError as error:
            if error.errno not in _NO_LOCKS_HERE:
                raise
            return


def _sync_folder(folder: Path) -> None:
    """Make a rename in a folder last through a power cut, where the file system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
