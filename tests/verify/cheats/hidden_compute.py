"""Computes with NumPy on the host, in the memory of the result.

Published: Makora, KernelHacks (2025): a library in place of a kernel.
Expected: rejected as torch-compute
Eager: rejected as wrong-memory or nothing-written
"""

import numpy as np
import torch
from _softmax import nothing_kernel


def softmax(x):
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    nothing_kernel[(1,)](x, y, x.shape[1])
    numerator = np.exp(x.float().numpy())
    y.copy_(torch.from_numpy(numerator / numerator.sum(axis=-1, keepdims=True)))
    return y
