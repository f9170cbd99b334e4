"""What a judge asks of the fork server: one child, its environment and folder, and six descriptors of its own."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass

# In the order in which they travel. `request` is memory that holds a `Request`; the child reads commands, writes
# frames to its channel and prints to `output`; the fork server tells of it in `status` and ends it with its `lifeline`.
DESCRIPTORS = ("request", "commands", "channel", "output", "status", "lifeline")


PARTS = ("recorder", "engine")


@dataclass(frozen=True)
class Request:
    """One child.

    Attributes:
        part: whose work it does, one of `PARTS`.
        device: "cpu" hides every GPU from it.
        folder: its working directory.
        environment: all of it.
    """

    part: str
    device: str
    folder: str
    environment: dict[str, str]


def write_request(request: Request) -> int:
    """Return a descriptor of memory that holds a request."""
    descriptor = os.memfd_create("request", os.MFD_CLOEXEC)
    os.write(descriptor, json.dumps(vars(request)).encode())
    return descriptor


def read_request(descriptor: int) -> Request:
    """Read a request and close its memory."""
    with os.fdopen(descriptor, "rb") as file:
        file.seek(0)
        return Request(**json.load(file))
