"""The process that runs a submission. It knows inputs, never answers; what it says is evidence, never a verdict.

Started as `python -m tritonpuzzles.engine.worker CHANNEL`, with the number of the pipe that frames are written to.
Commands come as JSON lines on standard input: `run` (import the submission, run its cases), `benchmark`,
`picture` (run one case again and tell of every access), and `bench`, after which a `BenchSession` takes the rest.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from tritonpuzzles.engine.wall import raise_wall
from tritonpuzzles.wire.frames import write_frame

if TYPE_CHECKING:
    from tritonpuzzles.engine.bench import BenchSession

PR_SET_PDEATHSIG = 1


def main() -> None:
    """Serve commands until the judge closes the pipe."""
    die_with_the_judge()
    raise_wall()
    channel_number = int(sys.argv[1])
    os.set_inheritable(channel_number, False)
    channel = os.fdopen(channel_number, "wb")
    commands = os.fdopen(os.dup(0), "rb")
    with open(os.devnull, "rb") as nothing:  # a submission that asks for input gets none, and no command of ours
        os.dup2(nothing.fileno(), 0)
    from tritonpuzzles.engine.session import Session  # torch and triton: seconds, while the judge imports too

    session: Session | None = None
    bench: BenchSession | None = None
    write_frame(channel, {"kind": "ready"})
    for command in _commands(commands):
        if command["command"] == "run":
            session = Session(Path(command["job"]), _sender(channel))
            session.run()
        elif command["command"] == "benchmark" and session is not None:
            session.benchmark()
        elif command["command"] == "picture" and session is not None:
            session.picture(command["case"])
        elif command["command"] == "bench":
            from tritonpuzzles.engine.bench import BenchSession

            bench = BenchSession(Path(command["job"]), _sender(channel))
        elif bench is not None:
            bench.obey(command)
        write_frame(channel, {"kind": "done"})
    os._exit(0)  # whatever threads or exit handlers a submission left behind


def die_with_the_judge() -> None:
    """Have the kernel end this process when the judge is killed: nobody is left to time it out."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _commands(stream: BinaryIO) -> Iterator[dict[str, Any]]:
    for line in iter(stream.readline, b""):
        yield json.loads(line)


def _sender(channel: BinaryIO) -> Any:
    def send(kind: str, payload: bytes = b"", **fields: Any) -> None:
        write_frame(channel, {"kind": kind, **fields}, payload)

    return send


if __name__ == "__main__":
    main()
