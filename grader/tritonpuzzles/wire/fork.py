"""What a judge asks of the fork server: one child, its environment and folder, and six descriptors of its own."""

from __future__ import annotations

import json
from dataclasses import dataclass

from tritonpuzzles.wire.fields import COMMANDED

# In the order in which they travel. `request` is sealed memory that holds a `Request`; the child reads commands, writes
# frames to its channel and prints to `output`; the fork server tells of it in `status` and ends it with its `lifeline`.
DESCRIPTORS = ("request", "commands", "channel", "output", "status", "lifeline")
KEPT_FOLDERS = ("compiled", "kernels")  # within an engine's folder: what it compiles for others, and for its own GPU
MAX_REQUEST_BYTES = 16 << 20  # an environment has no more


@dataclass(frozen=True)
class Request:
    """One child.

    Attributes:
        part: whose work it does: "recorder" or "engine".
        device: "cpu" hides every GPU from it.
        folder: its working directory.
        environment: all of it.
        modules: that an author wrote and the child needs, imported before it is confined.
        pack: the folder that these lie in.
    """

    part: str
    device: str
    folder: str
    environment: dict[str, str]
    modules: tuple[str, ...] = ()
    pack: str = ""


def write_request(request: Request) -> bytes:
    """Return a request as the fork server's child reads it."""
    return json.dumps(vars(request)).encode()


def read_request(data: bytes) -> Request:
    """Read a request."""
    return COMMANDED.read(Request, json.loads(data))
