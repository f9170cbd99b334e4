"""Launches a kernel that does nothing on memory that may hold the reference's result.

Published: wafer.ai's field guide (2026): no-op kernel; KernelBench#82.
Expected: rejected as nothing-written or unwritten-elements
Eager: rejected as nothing-written or unwritten-elements
"""

import torch
from _softmax import nothing_kernel


def softmax(x):
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    nothing_kernel[(max(1, x.shape[0]),)](x, y, x.shape[1])
    return y
