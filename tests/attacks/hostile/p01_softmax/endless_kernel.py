"""Loops for ever in the kernel.

Must: error timeout endless-loop
"""

import torch
import triton
import triton.language as tl


@triton.jit
def endless_kernel(x_ptr, y_ptr):
    i = 0
    while i < 1:
        i = i * 1
    tl.store(y_ptr, i)


def softmax(x):
    y = torch.empty_like(x)
    endless_kernel[(1,)](x, y)
    return y
