"""Hand bytes to a child by a descriptor that nothing can write to any more: no path leads to them, no file to swap."""

from __future__ import annotations

import errno
import fcntl
import os

SEALS = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL


def seal(data: bytes, name: str) -> int:
    """Return a descriptor of a file in memory that holds some bytes, sealed; to be given to a child and closed.

    Args:
        data: the content.
        name: shown in `/proc` alone.

    Raises:
        OSError: if there is no memory for it.
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

    Raises:
        OSError: if it is not sealed, or holds more than `max_bytes`.
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
