"""Calls PyTorch in the body of the kernel.

Must: fail | error
"""

import torch
import triton

tensors = []


@triton.jit
def torch_kernel(x_ptr, y_ptr, n_cols):
    tensors[-1][1].copy_(torch.softmax(tensors[-1][0], dim=1))


def softmax(x):
    y = torch.empty_like(x)
    if y.numel():
        tensors.append((x, y))
        torch_kernel[(x.shape[0],)](x, y, x.shape[1])
    return y
