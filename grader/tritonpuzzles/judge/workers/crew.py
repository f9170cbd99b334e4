"""The processes that run a file: one imports it and sees no input values, the others have the values and not the file.

Compiled kernels are kept between checks. An engine runs a stranger's code, so it works on a copy, and only the judge
writes to the kept ones. Its output is kept for the same kernel texts only, after the engine has ended.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import tritonpuzzles
from tritonpuzzles.judge.evidence.fields import SENT
from tritonpuzzles.judge.options import NOTHING, Own, cache_of
from tritonpuzzles.judge.workers.parent import Stop
from tritonpuzzles.judge.workers.process import Worker, await_ready, nothing
from tritonpuzzles.results.check import Confinement
from tritonpuzzles.sandbox import give, read_regular, remove_tree
from tritonpuzzles.wire.frames import KEPT_FOLDERS

AWAKE = "awake"  # kernels that every process on this GPU needs, compiled before it reads a submission
MOST_TEXTS = 64
MOST_FILES, MOST_BYTES = 4096, 256 << 20  # of one engine
MAX_FILE_BYTES = 32 << 20
DEEP = 2  # folders inside each other
Start = Callable[..., Any]


def key_of(texts: Iterable[str]) -> str:
    """Return the key under which the compiled code of some texts is kept; it ignores their order and files."""
    digests = sorted(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in set(texts))
    return hashlib.sha256("\n".join([tritonpuzzles.__version__, *digests]).encode()).hexdigest()


class Kept:
    """Compiled kernels, keyed by their texts, in a folder that is created when something is kept; or no folder."""

    def __init__(self, root: Path | None) -> None:
        self._root = None if root is None else root / "kept"

    def lend(self, key: str, folder: Path) -> None:
        """Copy the kept files of a key that an engine's folder lacks; if that fails, the engine compiles."""
        if self._root is None:
            return
        with contextlib.suppress(OSError, shutil.Error):
            shutil.copytree(self._root / key, folder, dirs_exist_ok=True, copy_function=_bring)
            if (owner := folder.stat().st_uid) != os.geteuid():
                give(folder, owner)
            os.utime(self._root / key)

    def take(self, key: str, folder: Path) -> None:
        """Keep the new files that an engine has left in its folder; a full disk is no error."""
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
            kept = sorted(self._root.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
            for path in kept[MOST_TEXTS:]:  # least recently used
                remove_tree(path)


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files in an engine's folders of compiled code; links are not followed."""
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
    """Copy a file atomically unless it exists; a library that the engine has loaded must not be overwritten.

    Overwriting it would change code that a running process uses, which then crashes.
    """
    if not os.path.lexists(target):
        _write(Path(target), Path(source).read_bytes())


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f"{uuid.uuid4().hex}.tmp")
    fresh.write_bytes(data)
    os.replace(fresh, path)


def engine(start: Start, device: str, kept: Kept, own: Own = NOTHING) -> Any:
    """Start an engine; on a GPU, lend it the kernels that every process there compiles first."""
    awake = {"prepare": partial(kept.lend, AWAKE)} if device == "cuda" else {}
    return start("engine", device, modules=own.modules, pack=own.pack, **awake)


class Crew:
    """A recorder and an engine of one file; a context that ends both."""

    def __init__(
        self,
        device: str,  # of the engine: "cpu" or "cuda"
        cache: Path | None = None,  # where compiled kernels are kept, and copied from; `None` keeps none
        start: Start = Worker,  # starts a process: part, device
        stop: Stop | None = None,  # ends every wait for one of them
        helpers: int = 0,  # further engines, which run cases and nothing else
        own: Own = NOTHING,  # what an author wrote that the engine needs
    ) -> None:
        started = partial(start, stop=stop) if stop is not None else start
        self._device, self._kept = device, Kept(cache_of(cache))
        self.confinement: Confinement | None = None  # of the engine, once it is ready
        self._lent: dict[int, str] = {}  # key by engine index
        self.recorder = started("recorder", "cpu")
        self.engine = engine(started, device, self._kept, own)
        self.helpers = [started("engine", device) for _ in range(helpers)]

    @property
    def engines(self) -> list[Any]:
        """The main engine and its helpers."""
        return [self.engine, *self.helpers]

    @property
    def is_waiting(self) -> bool:
        """Whether all of them are running and wait for a command."""
        return all(worker.is_waiting for worker in (self.recorder, *self.engines))

    def await_ready(self) -> None:
        """Wait until all have imported what they need; raises WorkerBrokenError if one never becomes ready."""
        ready = [await_ready(worker) for worker in (self.recorder, *self.engines)]
        self.confinement = SENT.read(Confinement, ready[1].header)
        if self._device == "cuda":
            self._kept.take(AWAKE, self.engine.folder)

    def lend(self, engine: Any, texts: Collection[str]) -> None:
        """Lend an engine the compiled code of some texts before it runs any, and keep what it adds when it ends.

        If other texts follow, nothing is kept, because its source would be unknown.
        """
        key, place = key_of(texts), self.engines.index(engine)
        if place not in self._lent:
            self._kept.lend(key, engine.folder)
            engine.on_end = partial(self._kept.take, key)
        elif self._lent[place] != key:
            engine.on_end = nothing
        self._lent[place] = key

    def keep(self) -> None:
        """Keep what the engines have compiled until now, and nothing after that."""
        for engine in self.engines:
            engine.on_end(engine.folder)
            engine.on_end = nothing

    @property
    def output(self) -> str:
        """What the file printed: its host function, then its kernels."""
        return "".join(worker.output for worker in (self.recorder, *self.engines))

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """End all of them, side by side; may be called twice."""
        for worker in (self.recorder, *self.engines):
            worker.dismiss()
        for worker in (self.recorder, *self.engines):
            worker.close()
