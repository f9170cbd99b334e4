"""Writes frames with counts that no float can hold.

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
    say(
        case(
            traffic=[
                {
                    "argument": "x",
                    "tensor": "x",
                    "tensor_bytes": 1,
                    "loaded_bytes": 10**400,
                    "stored_bytes": 10**400,
                    "atomic_bytes": 0,
                }
            ]
        )
    )
    return torch.softmax(x, dim=1)
