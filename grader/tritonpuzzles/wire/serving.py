"""The worker's side of a conversation: commands come one by one, and each is answered to its end."""

from __future__ import annotations

import errno
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from tritonpuzzles.wire.frames import Frame, read_frames, write_frame

Obey = Callable[[Frame], None]
OUT_OF_MEMORY = errno.ENOMEM  # exit code of a worker that has no memory left to say so in a frame


class Send(Protocol):
    """Writes a frame: `send(kind, payload, **fields)`."""

    def __call__(self, kind: str, payload: bytes = b"", **fields: Any) -> None:
        """Write a frame."""
        ...


def serve_commands(commands: int, channel: int, start: Callable[[Send], Obey], **about: Any) -> None:
    """Say that a worker is ready, and obey commands until the judge closes the pipe, or memory runs out.

    Args:
        commands: descriptor of the pipe that they come by.
        channel: descriptor of the pipe that frames are written to.
        start: takes what sends a frame, and returns what obeys a command.
        about: what it says of itself with that.
    """
    frames = os.fdopen(channel, "wb")
    warnings.formatwarning = _warning

    def send(kind: str, payload: bytes = b"", **fields: Any) -> None:
        write_frame(frames, {"kind": kind, **fields}, payload)

    obey = start(send)
    send("ready", **about)
    for frame in read_frames(os.fdopen(commands, "rb")):
        try:
            obey(frame)
            send("done")
        except MemoryError:
            os._exit(OUT_OF_MEMORY)


def _warning(message: Warning | str, category: type[Warning], filename: str, lineno: int, line: Any = None) -> str:
    """Return a warning in a line that begins with what it says, as reports cut lines: Triton's paths are long."""
    return f"{category.__name__}: {message} ({Path(filename).name}, line {lineno})\n"
