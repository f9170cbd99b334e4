"""Makes folders within folders, 2,000 deep, in the folder for temporary files.

Must: fail | error
"""

import os
import tempfile

import torch


def dig():
    os.chdir(tempfile.mkdtemp())
    for _ in range(2_000):
        os.mkdir("d")
        os.chdir("d")


if "tritonpuzzles-attacked-" in tempfile.gettempdir():
    dig()


def softmax(x):
    return torch.softmax(x, dim=1)
