"""Give memory back to the system: what was freed, and what of a library was needed only to load it.

Everywhere else than with Linux and the GNU C library this does nothing, quietly. And let Python look for what hangs
together in circles only where there may be some.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import re
from collections.abc import Iterator

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
LARGE_BYTES = 1 << 20  # what is larger is the system's again as soon as it is freed
MADV_DONTNEED = 4
MAPPING = re.compile(r"([0-9a-f]+)-([0-9a-f]+) r-[-x]p [0-9a-f]+ \S+ [1-9][0-9]* +/")  # private, read alone, of a file


@contextlib.contextmanager
def without_collector() -> Iterator[None]:
    """Hold Python's collector back for the length of a `with` block, in which much is made and nothing given up.

    It looks through all that there is, again and again, and beside torch that is much: a fifth of the seconds in which
    torch is imported or pictures are drawn.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def return_what_is_freed() -> None:
    """Have `free` return large blocks, and what lies free at the end of the heap, to the system at once.

    By itself it keeps as much as a block had that was freed before: tens of MB behind each large tensor.
    """
    with contextlib.suppress(AttributeError, OSError):
        libc = ctypes.CDLL(None)
        libc.mallopt(M_MMAP_THRESHOLD, LARGE_BYTES)
        libc.mallopt(M_TRIM_THRESHOLD, LARGE_BYTES)


def return_what_is_free() -> None:
    """Return to the system what lies free in the heap now, between blocks that do not."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


def let_go_of_libraries() -> None:
    """Take the pages of libraries that nobody has written to out of this process.

    To load one, its symbols and relocations are read, and what lies around them: 70 MB of Triton's. What is used again
    comes back by itself, from memory, for the files stay in the system's cache. Relocated pages are no file's any more.
    """
    with contextlib.suppress(AttributeError, OSError):
        madvise = ctypes.CDLL(None).madvise
        for start, size in _clean_mappings():
            madvise(ctypes.c_void_p(start), ctypes.c_size_t(size), MADV_DONTNEED)


def _clean_mappings() -> list[tuple[int, int]]:
    """Return address and bytes of each mapping of a file that is only read, and of which no page is a copy."""
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
