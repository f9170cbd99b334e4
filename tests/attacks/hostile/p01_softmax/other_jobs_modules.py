"""Puts modules into the folders of the other workers, which they would import first.

Must: fail | error
"""

import contextlib
import tempfile
from pathlib import Path

import torch


def spoil():
    assert "tritonpuzzles-attacked-" in tempfile.gettempdir()
    for folder in Path(tempfile.gettempdir()).glob("tritonpuzzles-*"):
        if not folder.samefile("."):
            for name in ("triton", "numpy", "safetensors", "torch", "p02_blocked_softmax"):
                (folder / f"{name}.py").write_text("raise SystemExit('spoiled')\n")


with contextlib.suppress(Exception):
    spoil()


def softmax(x):
    return torch.softmax(x, dim=1)
