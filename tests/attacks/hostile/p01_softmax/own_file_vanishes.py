"""Removes its own file and the folder's permission to be read.

Must: fail | error
"""

import os

import torch

if "tritonpuzzles-attacked-" in __file__:
    os.unlink(__file__)


def softmax(x):
    return torch.softmax(x, dim=2)
