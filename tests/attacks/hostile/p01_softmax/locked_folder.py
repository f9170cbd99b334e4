"""Takes away every right to its working directory and fills it with files.

Must: fail | error
"""

import os
from pathlib import Path

import torch

if "tritonpuzzles-attacked-" in os.getcwd():
    for number in range(3_000):
        Path(f"{number}.txt").write_text("litter")
    os.chmod(".", 0)


def softmax(x):
    return torch.softmax(x, dim=1)
