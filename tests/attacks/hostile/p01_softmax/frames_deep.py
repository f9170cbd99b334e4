"""Writes frames that are nested thousands of levels deep.

Must: fail | error
"""

import contextlib
import json
import os

import torch


def say(data):
    """Write bytes to everything that is open."""
    for descriptor in range(3, 128):
        with contextlib.suppress(OSError):
            os.write(descriptor, data)


def case(**changed):
    """Return a frame that tells of a case."""
    header = {"kind": "case", "case": 0, "outputs": [], "facts": [], "traffic": [], "lines": [], "launches": []}
    header |= {"stored": True, "scratch": [], "scratch_bytes": 0, "operations": [], "seconds": 0.1, "size": 0}
    return json.dumps(header | changed).encode() + b"\n"


def softmax(x):
    say(b'{"kind": "case", "case": 0, "size": 0, "outputs": ' + b"[" * 200_000 + b"]" * 200_000 + b"}\n")
    return torch.softmax(x, dim=1)
