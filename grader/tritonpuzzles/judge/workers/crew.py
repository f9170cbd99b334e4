"""The two processes that a file is tried with: one imports it and sees no number, one has numbers and not the file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tritonpuzzles.judge.workers.process import Worker, await_ready

Start = Callable[[str, str, "Path | None"], Any]


class Crew:
    """A recorder and an engine of one file; a context that ends both.

    Args:
        device: of the engine: "cpu" or "cuda".
        cache: where Triton keeps compiled kernels; its own default place if `None`.
        start: starts a process: part, device, cache.
    """

    def __init__(self, device: str, cache: Path | None = None, start: Start = Worker) -> None:
        self.recorder = start("recorder", "cpu", None)
        self.engine = start("engine", device, cache)

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
        self.recorder.close()
        self.engine.close()
