"""Read a file from an untrusted source: never block on it, never read more than the limit."""

from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path

if sys.platform == "win32":
    OPEN = os.O_RDONLY | os.O_BINARY  # no FIFOs in folders there
else:
    OPEN = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class NotRegularError(OSError):
    """The path is a folder, a pipe, a socket or a device."""


class TooLargeError(OSError):
    """The file has more bytes than the limit; `size` says how many."""

    def __init__(self, path: Path, size: int, most: int) -> None:
        super().__init__(errno.EFBIG, f"The file has more than {most:,} bytes", str(path))
        self.size = size


def read_regular(path: Path, max_bytes: int, *, follow: bool = True) -> bytes:
    """Return the content of a regular file; a FIFO at this path, even one put there meanwhile, cannot block this.

    Without `follow`, the path must be absolute and contain no symbolic link.

    Raises:
        NotRegularError: if it exists and is no regular file.
        TooLargeError: if it has more than `max_bytes`, before or after it was read.
        OSError: if it does not exist, is a dangling or unwanted link, or cannot be read.
    """
    flags = OPEN | (0 if follow else os.O_NOFOLLOW)
    try:
        descriptor = os.open(path, flags)
    except OSError as error:
        if error.errno == errno.ENXIO:  # a socket, or a device that is not there
            raise NotRegularError(errno.EINVAL, "This is not a regular file", str(path)) from error
        raise
    try:
        if not follow and os.readlink(f"/proc/self/fd/{descriptor}") != os.fspath(path):
            raise OSError(errno.ELOOP, "A symbolic link leads to this file", str(path))
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode):
            raise NotRegularError(errno.EINVAL, "This is not a regular file", str(path))
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(max_bytes + 1) if about.st_size <= max_bytes else b""
        if max(len(data), about.st_size) > max_bytes:
            raise TooLargeError(path, max(len(data), about.st_size), max_bytes)
        return data
    finally:
        os.close(descriptor)
