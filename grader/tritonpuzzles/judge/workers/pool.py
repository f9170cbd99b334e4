"""Worker processes, one for each trial, started ahead of their use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tritonpuzzles.judge.workers.process import Worker


class Workers:
    """Hands out one fresh worker per trial, and starts the next one ahead so that its imports cost no waiting.

    A context: the spare worker ends with it.
    """

    def __init__(self, cache: Path | None) -> None:
        self._cache = cache
        self._spare: tuple[str, Worker] | None = None

    def prepare(self, device: str) -> None:
        """Start a worker that the next `take` of the same device will get."""
        if self._spare is None:
            self._spare = (device, Worker(device, self._cache))

    @contextmanager
    def take(self, device: str, following: str | None = None) -> Iterator[Worker]:
        """Yield a worker and end it afterwards; start one for the device that follows meanwhile."""
        if self._spare is not None and self._spare[0] != device:
            self.close()
        self.prepare(device)
        assert self._spare is not None
        worker, self._spare = self._spare[1], None
        try:
            if following is not None:
                self.prepare(following)
            yield worker
        finally:
            worker.close()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """End the spare worker, if there is one."""
        if self._spare is not None:
            self._spare[1].close()
            self._spare = None
