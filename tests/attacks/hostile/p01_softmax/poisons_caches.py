"""Fills Triton's cache and the grader's own with outcomes that are wrong for everyone.

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
    for folder in (sandbox() / "workspace" / ".tritonpuzzles" / "cache", sandbox() / "home" / ".triton"):
        for path in folder.rglob("*"):
            if path.suffix == ".json":
                path.write_text(path.read_text().replace("true", "false").replace("null", '"spoiled"'))
            elif path.is_file():
                path.write_bytes(b"spoiled")


with contextlib.suppress(Exception):
    spoil()


def softmax(x):
    return torch.softmax(x, dim=1)
