"""Folders for what a process needs for a while: it removes them, or where it was killed, a later one does.

A lock says whose folder is still in use: the system gives it back however its holder ends.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
import time
from pathlib import Path

from tritonpuzzles.sandbox.trees import FOLDER, remove_tree

PREFIX = "tritonpuzzles-held-"
UNLOCKED_SECONDS = 60.0  # a folder that is younger may belong to a process that has not locked it yet


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

    def remove(self) -> None:
        """Remove it with all that is in it; may be called twice. What cannot be removed stays."""
        if self._lock is not None:
            with contextlib.suppress(OSError):
                remove_tree(self.path)
            os.close(self._lock)
            self._lock = None


def remove_abandoned() -> None:
    """Remove this user's folders whose processes have ended without."""
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            lock = os.open(path, FOLDER)
            try:
                about = os.fstat(lock)
                if about.st_uid == os.geteuid() and time.time() - about.st_mtime > UNLOCKED_SECONDS:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises where it is in use
                    remove_tree(path)
            finally:
                os.close(lock)
