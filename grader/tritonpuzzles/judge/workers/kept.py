"""What kernels compiled to, kept between checks: an engine works on a copy, and only the judge writes.

An engine runs what a stranger wrote. What it leaves is taken for the same texts alone, once the engine has ended.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path

import tritonpuzzles
from tritonpuzzles.sandbox import read_regular, remove_tree
from tritonpuzzles.wire.frames import KEPT_FOLDERS

AWAKE = "awake"  # what any process on this GPU needs, compiled before it is told of a submission
MOST_TEXTS = 64
MOST_FILES, MOST_BYTES = 4096, 256 << 20  # of one engine
MAX_FILE_BYTES = 32 << 20
DEEP = 2  # folders inside each other


def key_of(texts: Iterable[str]) -> str:
    """Return the name under which what some texts compile to is kept; their order and their files do not matter."""
    digests = sorted(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in set(texts))
    return hashlib.sha256("\n".join([tritonpuzzles.__version__, *digests]).encode()).hexdigest()


class Kept:
    """Compiled kernels in one folder, by the texts that they come from.

    Args:
        root: created when something is kept; `None` keeps nothing.
    """

    def __init__(self, root: Path | None) -> None:
        self._root = None if root is None else root / "kept"

    def lend(self, key: str, folder: Path) -> None:
        """Copy what is kept under a key, and an engine's folder does not have; without it the engine compiles."""
        if self._root is None:
            return
        with contextlib.suppress(OSError, shutil.Error):
            shutil.copytree(self._root / key, folder, dirs_exist_ok=True, copy_function=_bring)
            os.utime(self._root / key)

    def take(self, key: str, folder: Path) -> None:
        """Keep what an engine has left in its folder and is not kept yet; a full disk is no reason to fail."""
        if self._root is None:
            return
        left = MOST_BYTES
        with contextlib.suppress(OSError):
            for number, path in enumerate(_files(folder)):
                target = self._root / key / path.relative_to(folder)
                if target.exists():
                    continue
                data = read_regular(path, MAX_FILE_BYTES, follow=False)
                left -= len(data)
                if number >= MOST_FILES or left < 0:
                    break
                _write(target, data)
            self._forget()

    def _forget(self) -> None:
        """Remove what has not been used for longest."""
        assert self._root is not None
        if not self._root.is_dir():
            return
        kept = sorted(self._root.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
        for path in kept[MOST_TEXTS:]:
            remove_tree(path)


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files in the folders of an engine that hold what it compiled; no link is followed."""
    waiting = [(folder / name, 1) for name in KEPT_FOLDERS if not (folder / name).is_symlink()]
    while waiting:
        current, depth = waiting.pop()
        with contextlib.suppress(OSError), os.scandir(current) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False) and depth < DEEP:
                    waiting.append((Path(entry.path), depth + 1))
                elif entry.is_file(follow_symlinks=False):
                    yield Path(entry.path)


def _bring(source: str, target: str) -> None:
    """Copy a file that is not there yet, whole or not at all; a library that the engine has loaded must stay as it is.

    To write to its file again would change the program under a process that runs it, which then crashes.
    """
    if not os.path.lexists(target):
        _write(Path(target), Path(source).read_bytes())


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f"{uuid.uuid4().hex}.tmp")
    fresh.write_bytes(data)
    os.replace(fresh, path)
