"""Keeps the compiler at a loop that no program enters, in a kernel that does nothing.

Must: error not-compiled
"""

import torch
import triton
import triton.language as tl


@triton.jit
def busy(x_ptr, n, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    if n < 0:
        for i in tl.static_range(0, 10_000_000):
            x = x + i
    tl.store(x_ptr + tl.arange(0, N), x)


@triton.jit
def k(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_row_stride + cols, e / tl.sum(e, axis=0), mask=cols < n_cols)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    busy[(1,)](torch.zeros(2, dtype=torch.float32, device=x.device), n_cols, N=2)
    size = triton.next_power_of_2(n_cols)
    k[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=size)
    return y
