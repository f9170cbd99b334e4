"""Tells of outputs whose sizes do not fit their bytes.

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
            outputs=[{"type": "Tensor", "shape": [3, 1 << 40], "dtype": "float32", "device": "cpu", "nbytes": 1 << 50}],
            size=4,
        )
        + b"abcd"
    )
    return torch.softmax(x, dim=1)
