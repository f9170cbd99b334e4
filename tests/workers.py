"""Worker processes that take one job after the other, for tests that are not about starting them.

Starting one costs more than most checks in it: torch and Triton are imported. The pool of the judge hands out these in
place of its own. One that did all that it was asked to waits here for the next job; what went wrong in any way ends.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from tritonpuzzles.judge.workers import pool
from tritonpuzzles.judge.workers.process import Worker
from tritonpuzzles.wire.frames import Frame

MOST = 2  # that wait
_for_good = ExitStack()


class KeptWorker(Worker):
    """A worker that goes back to where it came from when it is closed, if nothing is left undone in it."""

    def __init__(self, home: KeptWorkers, device: str) -> None:
        super().__init__(device)
        self._home = home
        self._waits = False

    def command(self, **command: Any) -> None:
        self._waits = False
        super().command(**command)

    def receive(self, seconds: float) -> Frame:
        frame = super().receive(seconds)
        self._waits = frame.kind in ("ready", "done") and not self._frames
        return frame

    def close(self) -> None:
        if not (self._waits and self._process.poll() is None and self._home.keep(self)):
            super().close()

    def as_new(self) -> None:
        """Look like a worker that has just been started: ready, in an empty folder, and nothing printed."""
        for path in self.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        self._frames = [Frame({"kind": "ready"})]
        self._drain_output()
        self._output.clear()
        self.output_bytes = 0

    def end(self) -> None:
        """End for good."""
        super().close()


class KeptWorkers:
    """Where kept workers wait: as many as one check needs, which starts the next file's ahead."""

    def __init__(self) -> None:
        self._waiting: list[KeptWorker] = []
        self._keeps = False

    def start(self, device: str, cache: Path | None = None) -> Worker:
        """Return a worker that waits, or a new one; on the CPU nothing is compiled into the folder for kernels."""
        if not self._keeps or device != "cpu":
            return Worker(device, cache)
        if not self._waiting:
            return KeptWorker(self, device)
        self._waiting[-1].as_new()
        return self._waiting.pop()

    def keep(self, worker: KeptWorker) -> bool:
        """Take a worker that may be used again; say whether there was room for it."""
        if not self._keeps or len(self._waiting) == MOST:
            return False
        self._waiting.append(worker)
        return True

    @contextmanager
    def used(self, keeps: bool) -> Iterator[None]:
        """Have the judge's pool take its workers here, kept ones or not, for the length of a `with` block."""
        before, self._keeps = self._keeps, keeps
        with mock.patch.object(pool, "Worker", self.start):
            yield
        self._keeps = before

    def end(self) -> None:
        """End those that wait."""
        while self._waiting:
            self._waiting.pop().end()


def keep_from_now_on() -> None:
    """Let every check in this process share workers until it ends."""
    _for_good.enter_context(KeptWorkers().used(keeps=True))
