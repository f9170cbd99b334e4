"""Gives each program as many rows as the others; without rows there is nobody to share with.

Code: runtime-error
Killed by: cases
"""

import torch
import triton
import triton.language as tl


@triton.jit
def update(m, l, x):
    m_new = tl.maximum(m, tl.max(x, axis=0))
    return m_new, l * tl.exp(m - m_new) + tl.sum(tl.exp(x - m_new), axis=0)


@triton.jit
def softmax_kernel(
    x_ptr, y_ptr, x_row_stride, y_row_stride, n_rows, n_cols, BLOCK_SIZE: tl.constexpr, ROWS: tl.constexpr
):
    first = tl.program_id(0) * ROWS
    for i in range(first, min(first + ROWS, n_rows)):
        row = tl.cast(i, tl.int64)
        m = tl.full((), -3.4e38, tl.float32)
        l = tl.zeros((), tl.float32)
        for start in range(0, n_cols, BLOCK_SIZE):
            cols = start + tl.arange(0, BLOCK_SIZE)
            x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
            m, l = update(m, l, x)
        for start in range(0, n_cols, BLOCK_SIZE):
            cols = start + tl.arange(0, BLOCK_SIZE)
            x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
            tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - m) / l, mask=cols < n_cols)


def reference(x):
    return torch.softmax(x, dim=1)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if n_cols == 0:
        return y
    BLOCK_SIZE = min(triton.next_power_of_2(n_cols), 1024)
    programs = min(n_rows, 264)
    ROWS = triton.cdiv(n_rows, programs)
    softmax_kernel[(programs,)](x, y, x.stride(0), y.stride(0), n_rows, n_cols, BLOCK_SIZE=BLOCK_SIZE, ROWS=ROWS)
    return y
