"""The process that runs a submission. It knows inputs, never answers; what it says is evidence, never a verdict.

Forked by the fork server (`tritonpuzzles/forkserver.py`), with a pipe for commands and one for frames. Commands come
as JSON lines: `run` (import the submission, run its cases), `benchmark`, `picture` (run one case again and tell of
every access), and `bench`, after which a `BenchSession` takes the rest.
"""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import torch

from tritonpuzzles.wire.frames import write_frame

if TYPE_CHECKING:
    from tritonpuzzles.engine.bench import BenchSession


def warm_up() -> None:
    """Import what every worker needs, and compute nothing: seconds, while the judge imports too."""
    importlib.import_module("tritonpuzzles.engine.session")
    importlib.import_module("tritonpuzzles.engine.cpu")


def serve(commands: int, channel: int, device: str) -> None:
    """Serve commands until the judge closes the pipe.

    Args:
        commands: descriptor of the pipe that they come by.
        channel: descriptor of the pipe that frames are written to.
        device: "cpu" computes on one thread: cases are small, and threads would wait for each other.
    """
    from tritonpuzzles.engine.session import Session

    if device == "cpu":
        torch.set_num_threads(1)
    frames = os.fdopen(channel, "wb")
    session: Session | None = None
    bench: BenchSession | None = None
    write_frame(frames, {"kind": "ready"})
    for command in _commands(os.fdopen(commands, "rb")):
        if command["command"] == "run":
            session = Session(Path(command["job"]), _sender(frames))
            session.run()
        elif command["command"] == "benchmark" and session is not None:
            session.benchmark()
        elif command["command"] == "picture" and session is not None:
            session.picture(command["case"])
        elif command["command"] == "bench":
            from tritonpuzzles.engine.bench import BenchSession

            bench = BenchSession(Path(command["job"]), _sender(frames))
        elif bench is not None:
            bench.obey(command)
        write_frame(frames, {"kind": "done"})


def _commands(stream: BinaryIO) -> Iterator[dict[str, Any]]:
    for line in iter(stream.readline, b""):
        yield json.loads(line)


def _sender(channel: BinaryIO) -> Any:
    def send(kind: str, payload: bytes = b"", **fields: Any) -> None:
        write_frame(channel, {"kind": kind, **fields}, payload)

    return send
