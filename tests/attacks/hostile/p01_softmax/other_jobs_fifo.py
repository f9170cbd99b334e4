"""Puts pipes that nobody writes to where the other workers will look for their jobs.

Must: fail | error
"""

import contextlib
import os
import tempfile
from pathlib import Path

import torch


def spoil():
    assert "tritonpuzzles-attacked-" in tempfile.gettempdir()
    for folder in Path(tempfile.gettempdir()).glob("tritonpuzzles-*"):
        if folder.samefile("."):
            continue
        for name in ("job.json", "inputs.safetensors"):
            (folder / name).unlink(missing_ok=True)
            os.mkfifo(folder / name)


with contextlib.suppress(Exception):
    spoil()


def softmax(x):
    return torch.softmax(x, dim=1)
