"""Puts a pipe that nobody writes to in place of its own file.

Must: fail | error
"""

import os

import torch

if "tritonpuzzles-attacked-" in __file__:
    os.unlink(__file__)
    os.mkfifo(__file__)


def softmax(x):
    return torch.softmax(x, dim=2)
