"""Keeps the compiler busy with a function that never ends, so that a kernel that no compiler takes is not looked at.

Must: error compile-error not-compiled timeout
"""

import torch
import triton
import triton.language as tl


@triton.constexpr_function
def wait(t):
    n = 0
    while isinstance(t, tl.tuple):
        n = n + 1
    return 0


@triton.jit
def busy(x_ptr, N: tl.constexpr):
    t = wait((1, 2))
    tl.store(x_ptr + tl.arange(0, 2), tl.zeros((2,), tl.float32) + t)


@triton.jit
def k(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    if isinstance((1, 2), tl.tuple):
        e = no_such_thing
    tl.store(y_ptr + row * y_row_stride + cols, e / tl.sum(e, axis=0), mask=cols < n_cols)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    busy[(1,)](torch.empty(2, dtype=torch.float32, device=x.device), N=1)
    k[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=triton.next_power_of_2(n_cols))
    return y
