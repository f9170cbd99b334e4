"""Messages between judge and worker: frames of a JSON header on one line, then raw bytes; and the request for a worker.

Neither side ever unpickles. The judge treats every header as hostile: sizes are checked before a payload is accepted.
"""

from __future__ import annotations

import errno
import json
import os
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from tritonpuzzles.wire.fields import COMMANDED

MAX_HEADER_BYTES = 16 << 20  # enough for an engine's report on the most launches that one call may have
OUT_OF_MEMORY = errno.ENOMEM  # exit code of a worker that lacks the memory to report this in a frame
OF_MACHINE = 74  # exit code of one that fails for the machine: a full disk, no more processes: EX_IOERR

# In the order in which they are sent. `request` is sealed memory with a `Request`; the child reads commands, writes
# frames to its channel, prints to `output`; the fork server reports on it in `status`, ends it if `lifeline` closes.
DESCRIPTORS = ("request", "commands", "channel", "output", "status", "lifeline")
KEPT_FOLDERS = ("compiled", "kernels")  # in an engine's folder: compile results for other GPUs, and for its own
MAX_REQUEST_BYTES = 16 << 20  # more than any environment has


class ProtocolError(ValueError):
    """A frame that is malformed or larger than allowed."""


@dataclass(frozen=True)
class Frame:
    """One message: `header["kind"]` says what it is, `payload` holds tensor bytes."""

    header: dict[str, Any]
    payload: bytes = b""

    @property
    def kind(self) -> str:
        return str(self.header.get("kind"))


def write_frame(stream: BinaryIO, header: dict[str, Any], payload: bytes) -> None:
    """Write one frame and flush it."""
    stream.write(header_line(header, len(payload)))
    stream.write(payload)
    stream.flush()


def header_line(header: dict[str, Any], size: int) -> bytes:
    """Return the first line of a frame."""
    return json.dumps({**header, "size": size}).encode() + b"\n"


def read_frames(stream: BinaryIO) -> Iterator[Frame]:
    """Yield the frames of a trusted stream, such as the judge's commands, until its end."""
    for line in iter(stream.readline, b""):
        header = json.loads(line)
        yield Frame(header, stream.read(header["size"]))


class FrameReader:
    """Assemble frames from bytes as they arrive, in any pieces.

    A payload larger than `max_payload_bytes` is refused; until that is set, any payload is.
    """

    def __init__(self) -> None:
        self.max_payload_bytes = 0
        self._chunks = bytearray()
        self._header: dict[str, Any] | None = None

    def feed(self, data: bytes) -> list[Frame]:
        """Take more bytes and return the frames that are now complete.

        Raises ProtocolError for a header that is not a JSON object, or a size over the limits.
        """
        self._chunks += data
        return list(iter(self._next, None))

    def _next(self) -> Frame | None:
        if self._header is None:
            end = self._chunks.find(b"\n", 0, MAX_HEADER_BYTES)
            if end < 0:
                if len(self._chunks) >= MAX_HEADER_BYTES:
                    raise ProtocolError(f"a header is longer than {MAX_HEADER_BYTES} bytes")
                return None
            self._header = self._parse(bytes(self._chunks[:end]))
            del self._chunks[: end + 1]
        size = self._header["size"]
        if len(self._chunks) < size:
            return None
        frame = Frame(self._header, bytes(self._chunks[:size]))
        del self._chunks[:size]
        self._header = None
        return frame

    def _parse(self, line: bytes) -> dict[str, Any]:
        try:
            header = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ProtocolError("a header is not JSON") from error
        size = header.get("size") if isinstance(header, dict) else None
        if not isinstance(size, int) or isinstance(size, bool) or not 0 <= size <= self.max_payload_bytes:
            raise ProtocolError(f"a payload size of {size!r} is not allowed; the most is {self.max_payload_bytes}")
        assert isinstance(header, dict)
        return header


Obey = Callable[[Frame], None]
Send = Callable[..., None]  # writes a frame: `send(kind, payload=b"", **fields)`


def serve_commands(commands: int, channel: int, start: Callable[[Send], Obey], **about: Any) -> None:
    """Report that a worker is ready, and execute commands until the judge closes the pipe, or the machine fails.

    `start` takes a function that sends a frame, and returns a function that executes a command.
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
        except OSError:
            traceback.print_exc()
            os._exit(OF_MACHINE)


def _warning(message: Warning | str, category: type[Warning], filename: str, lineno: int, line: Any = None) -> str:
    """Return a warning as a line that begins with its message: reports cut lines, and Triton's paths are long."""
    return f"{category.__name__}: {message} ({Path(filename).name}, line {lineno})\n"


@dataclass(frozen=True)
class Request:
    """The request for one child."""

    part: str  # its role: "recorder" or "engine"
    device: str  # "cpu" hides every GPU from it
    folder: str  # its working directory
    environment: dict[str, str]  # all of it
    modules: tuple[str, ...] = ()  # an author's modules that the child needs, imported before it is confined
    pack: str = ""  # the folder of these modules
    user: int | None = None  # number of the user that it becomes; `None` to stay the same


def write_request(request: Request) -> bytes:
    """Return a request as bytes for the fork server's child."""
    return json.dumps(vars(request)).encode()


def read_request(data: bytes) -> Request:
    """Read a request."""
    return COMMANDED.read(Request, json.loads(data))
