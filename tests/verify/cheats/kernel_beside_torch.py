"""Launches a kernel that does nothing beside PyTorch's own function.

Published: Kevin, arXiv:2507.11948; Makora, KernelHacks (2025): forgotten kernel.
Expected: rejected as torch-compute
Eager: rejected as wrong-memory or nothing-written
"""

import torch
from _softmax import nothing_kernel


def softmax(x):
    y = torch.softmax(x, dim=-1)
    nothing_kernel[(1,)](x, y, x.shape[1])
    return y
