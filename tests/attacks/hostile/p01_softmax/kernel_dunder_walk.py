"""Walks from the language to Python's modules in the body of the kernel, and computes there.

Must: fail | error
"""

import torch
import triton
import triton.language as tl


@triton.jit
def walking_kernel(x_ptr, y_ptr, n_cols, BLOCK_SIZE: tl.constexpr):
    modules = tl.core.__builtins__["__import__"]("sys").modules
    torch_module = modules["torch"]
    frame = modules["sys"]._getframe()
    while "x" not in frame.f_locals or "y" not in frame.f_locals:
        frame = frame.f_back
    frame.f_locals["y"].copy_(torch_module.softmax(frame.f_locals["x"], 1))
    cols = tl.arange(0, BLOCK_SIZE)
    tl.store(y_ptr + cols, tl.load(y_ptr + cols, mask=cols < n_cols), mask=cols < n_cols)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel():
        walking_kernel[(n_rows,)](x, y, n_cols, BLOCK_SIZE=triton.next_power_of_2(n_cols))
    return y
