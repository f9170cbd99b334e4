"""Puts a torch.py into every folder from which the next Python may import.

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
    for folder in (sandbox() / "workspace", sandbox() / "clone" / "grader", Path.cwd()):
        (folder / "torch.py").write_text("raise SystemExit('spoiled')\n")


with contextlib.suppress(Exception):
    spoil()


def softmax(x):
    return torch.softmax(x, dim=1)
