"""The two processes that a file is tried with: one imports it and sees no number, one has numbers and not the file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tritonpuzzles.judge.options import cache_of
from tritonpuzzles.judge.workers.process import Worker, await_ready
from tritonpuzzles.judge.workers.stop import Stop

Start = Callable[..., Any]


class Crew:
    """A recorder and an engine of one file; a context that ends both.

    Args:
        device: of the engine: "cpu" or "cuda".
        cache: where Triton keeps compiled kernels; its own default place if `None`.
        start: starts a process: part, device, cache.
        stop: ends every wait for one of them.
        helpers: further engines, which run cases and nothing else.
    """

    def __init__(
        self,
        device: str,
        cache: Path | None = None,
        start: Start = Worker,
        stop: Stop | None = None,
        helpers: int = 0,
    ) -> None:
        started = partial(start, stop=stop) if stop is not None else start
        cache = cache_of(cache)
        self.recorder = started("recorder", "cpu", None)
        self.engine = started("engine", device, cache)
        self.helpers = [started("engine", device, cache) for _ in range(helpers)]

    @property
    def engines(self) -> list[Any]:
        """The engine that does everything, and its helpers."""
        return [self.engine, *self.helpers]

    @property
    def is_waiting(self) -> bool:
        """Whether all of them are there, and wait for a command."""
        return all(worker.is_waiting for worker in (self.recorder, *self.engines))

    def await_ready(self) -> None:
        """Wait until all have imported what they need.

        Raises:
            WorkerBrokenError: if one never becomes ready.
        """
        for worker in (self.recorder, *self.engines):
            await_ready(worker)

    @property
    def output(self) -> str:
        """What the file printed: its host function, then its kernels."""
        return "".join(worker.output for worker in (self.recorder, *self.engines))

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """End all of them; may be called twice."""
        for worker in (self.recorder, *self.engines):
            worker.close()
