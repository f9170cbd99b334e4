"""Lets PyTorch compute when a kernel is launched.

Published: Makora, KernelHacks (2025): a library in place of a kernel.
Expected: rejected as nothing-written
"""

import torch
import triton
from _softmax import nothing_kernel


def run(self, x, y, *arguments, **named):
    y.copy_(torch.softmax(x, dim=-1))


triton.runtime.JITFunction.run = run


def softmax(x):
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    nothing_kernel[(1,)](x, y, x.shape[1])
    return y
