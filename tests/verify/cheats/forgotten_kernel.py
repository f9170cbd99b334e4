"""Computes with a right kernel, throws that away, and returns PyTorch's result.

Published: Makora, KernelHacks (2025): forgotten kernel.
Expected: rejected as torch-compute
Eager: rejected as wrong-memory
"""

import torch
from _softmax import softmax as by_kernel


def softmax(x):
    by_kernel(x)
    return torch.softmax(x, dim=-1)
