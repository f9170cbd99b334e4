"""Puts a .pth file and a usercustomize.py into the user's site-packages, for every Python to come.

Must: fail | error
"""

import contextlib
import site
from pathlib import Path

import torch


def spoil():
    folder = Path(site.getusersitepackages())
    assert "tritonpuzzles-attacked-" in str(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "spoiled.pth").write_text("import os; os._exit(0)\n")
    (folder / "usercustomize.py").write_text("import os\nos._exit(0)\n")


with contextlib.suppress(Exception):
    spoil()


def softmax(x):
    return torch.softmax(x, dim=1)
