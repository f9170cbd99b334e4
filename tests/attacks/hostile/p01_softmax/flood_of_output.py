"""Prints 300 MB.

Must: fail | error
"""

import torch

for _ in range(300):
    print("x" * 1_000_000)


def softmax(x):
    return torch.softmax(x, dim=1)
