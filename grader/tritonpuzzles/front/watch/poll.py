"""Whether a file was saved: its time and size are looked at again and again.

Notifications of the system would be faster, and do not come from network drives, bind mounts and Windows folders.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

SECONDS = 0.1
APART = SECONDS / 2  # two looks at the least, which other events may bring on early


@dataclass(frozen=True)
class Stamp:
    """What changes with a save."""

    mtime_ns: int
    size: int


class Watched:
    """One file, by its path: an editor may write it, or put another in its place.

    Args:
        path: of the file; it may be missing.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen = stamp_of(path)
        self._resting = True
        self._looked = time.monotonic()

    def was_saved(self) -> bool:
        """Look once more; return whether the file has changed, and then not between two looks: it is whole.

        Called again within `APART` seconds it does not look.
        """
        if time.monotonic() - self._looked < APART:
            return False
        self._looked = time.monotonic()
        now = stamp_of(self._path)
        if now != self._seen:
            self._seen, self._resting = now, False
            return False
        saved, self._resting = not self._resting, True
        return saved


def stamp_of(path: Path) -> Stamp | None:
    """Return a file's stamp; `None` where there is no file, or none that can be looked at."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return Stamp(found.st_mtime_ns, found.st_size)
