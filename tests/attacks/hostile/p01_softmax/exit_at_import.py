"""Ends its process with os._exit(0) at import.

Must: error exit
"""

import os

import torch

os._exit(0)


def softmax(x):
    return torch.softmax(x, dim=1)
