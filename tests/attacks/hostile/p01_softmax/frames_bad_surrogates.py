"""Writes text with lone surrogates, control characters and markup, which no terminal can print.

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
            findings=[
                {"code": "wrong-values", "message": "\ud800\x1b[2J[red]\x00", "file": "\udfff", "next_step": "\ud83d"}
            ]
        )
    )
    return torch.softmax(x, dim=1)
