"""Give memory back to the system: what was freed, and what of a library was needed only to load it.

On other systems than Linux with the GNU C library this does nothing. Also run Python's cyclic garbage collector only
when there may be garbage.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import re
from collections.abc import Iterator

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
LARGE_BYTES = 1 << 20  # blocks of at least this size are returned to the system when they are freed
MADV_DONTNEED = 4
MAPPING = re.compile(r"([0-9a-f]+)-([0-9a-f]+) r-[-x]p [0-9a-f]+ \S+ [1-9][0-9]* +/")  # private, read alone, of a file


@contextlib.contextmanager
def without_collector() -> Iterator[None]:
    """Disable Python's garbage collector within a `with` block in which much is allocated and little freed.

    The collector scans all objects again and again, and torch has many: this takes a fifth of the time in which torch
    is imported or pictures are drawn.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def return_what_is_freed() -> None:
    """Make `free` return large blocks, and free memory at the end of the heap, to the system at once.

    By default glibc raises its threshold to the largest freed block's size: tens of MB stay after each large tensor.
    """
    with contextlib.suppress(AttributeError, OSError):
        libc = ctypes.CDLL(None)
        libc.mallopt(M_MMAP_THRESHOLD, LARGE_BYTES)
        libc.mallopt(M_TRIM_THRESHOLD, LARGE_BYTES)


def return_what_is_free() -> None:
    """Return to the system what is free in the heap now, also between used blocks."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


def let_go_of_libraries() -> None:
    """Drop clean pages of libraries from this process.

    Loading a library reads its symbols and relocations, and the pages around them: 70 MB for Triton. Pages that are
    used again are reloaded from the system's file cache. Relocated pages are private copies and stay.
    """
    with contextlib.suppress(AttributeError, OSError):
        madvise = ctypes.CDLL(None).madvise
        for start, size in _clean_mappings():
            madvise(ctypes.c_void_p(start), ctypes.c_size_t(size), MADV_DONTNEED)


def _clean_mappings() -> list[tuple[int, int]]:
    """Return address and size in bytes of each read-only file mapping that has no private page."""
    found: list[tuple[int, int]] = []
    with open("/proc/self/smaps") as smaps:
        mapping: tuple[int, int] | None = None
        for line in smaps:
            if match := MAPPING.match(line):
                start, end = (int(number, 16) for number in match.groups())
                mapping = start, end - start
            elif not line[0].isupper():
                mapping = None
            elif mapping is not None and line.split() == ["Anonymous:", "0", "kB"]:
                found.append(mapping)
    return found
