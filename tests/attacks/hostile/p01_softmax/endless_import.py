"""Loops for ever at import.

Must: error timeout
"""

import torch

while True:
    pass


def softmax(x):
    return torch.softmax(x, dim=1)
