"""The two processes that a file is tried with: one imports it and sees no number, one has numbers and not the file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tritonpuzzles.judge.workers.process import Worker, await_ready
from tritonpuzzles.judge.workers.stop import Stop

Start = Callable[..., Any]


class Crew:
    """A recorder and an engine of one file; a context that ends both.

    Args:
        device: of the engine: "cpu" or "cuda".
        cache: where Triton keeps compiled kernels; its own default place if `None`.
        start: starts a process: part, device, cache.
        stop: ends every wait for one of the two.
    """

    def __init__(self, device: str, cache: Path | None = None, start: Start = Worker, stop: Stop | None = None) -> None:
        started = partial(start, stop=stop) if stop is not None else start
        self.recorder = started("recorder", "cpu", None)
        self.engine = started("engine", device, cache)

    @property
    def is_whole(self) -> bool:
        """Whether neither of the two has ended."""
        return not (self.recorder.has_ended or self.engine.has_ended)

    def await_ready(self) -> None:
        """Wait until both have imported what they need.

        Raises:
            WorkerBrokenError: if one never becomes ready.
        """
        await_ready(self.recorder)
        await_ready(self.engine)

    @property
    def output(self) -> str:
        """What the file printed: its host function, then its kernels."""
        return f"{self.recorder.output}{self.engine.output}"

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """End both; may be called twice."""
        self.recorder.close()
        self.engine.close()
