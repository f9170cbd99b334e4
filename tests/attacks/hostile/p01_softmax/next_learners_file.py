"""Overwrites the file of the learner who comes next.

Must: fail | error
"""

import contextlib
from pathlib import Path

import torch


def spoil():
    assert "tritonpuzzles-attacked-" in __file__
    for path in Path(__file__).parent.glob("p0*.py"):
        if path.name != Path(__file__).name:
            path.write_text("raise SystemExit('spoiled')\n")


with contextlib.suppress(Exception):
    spoil()


def softmax(x):
    return torch.softmax(x, dim=1)
