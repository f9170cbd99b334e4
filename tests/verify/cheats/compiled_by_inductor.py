"""Lets torch.compile write the kernel.

Published: Makora, KernelHacks (2025): a library in place of a kernel.
Expected: rejected as runtime-error
"""

import torch


@torch.compile
def softmax(x):
    return torch.softmax(x, dim=-1)
