"""Launches what cannot be launched, and lets PyTorch compute in `except`.

Published: Kevin, arXiv:2507.11948.
Expected: rejected as torch-compute or no-launch
Eager: rejected as no-launch
"""

import torch
from _softmax import softmax_kernel


def softmax(x):
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    try:
        softmax_kernel[(x.shape[0],)](x, y)
    except Exception:
        y = torch.softmax(x, dim=-1)
    return y
