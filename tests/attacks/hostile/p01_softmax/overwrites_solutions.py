"""Overwrites the shipped solutions with its own file.

Must: fail | error
"""

import contextlib
from pathlib import Path

import torch


def sandbox():
    """Return the folder that holds everything here, if it is one to be harmed."""
    here = Path(__file__).resolve()
    return next(folder for folder in here.parents if folder.name.startswith("tritonpuzzles-attacked-"))


def spoil():
    for path in (sandbox() / "clone" / "solutions").glob("p0*.py"):
        path.write_bytes(Path(__file__).read_bytes())


with contextlib.suppress(Exception):
    spoil()


def softmax(x):
    return torch.softmax(x, dim=1)
