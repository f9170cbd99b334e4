"""Remove a folder that hostile code has filled, however deep, long-named or closed it has made it."""

from __future__ import annotations

import itertools
import os
import stat
import uuid
from collections.abc import Iterator
from pathlib import Path

AT_ONCE = 1000  # names that are read before what bears them is removed
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove_tree(path: Path) -> None:
    """Remove a folder with all that is in it, when the processes that filled it have ended; no link is followed.

    A folder within a folder is moved up to the top before it takes its turn: so nothing recurses, no path is longer
    than one name, and two open descriptors do.

    Raises:
        OSError: if something cannot be removed; what was removed until then is gone.
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
