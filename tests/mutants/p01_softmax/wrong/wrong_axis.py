"""Normalises the columns instead of the rows.

Code: wrong-axis
Killed by: every case
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_rows, BLOCK_SIZE: tl.constexpr):
    col = tl.program_id(0)
    rows = tl.arange(0, BLOCK_SIZE).to(tl.int64)
    mask = rows < n_rows
    x = tl.load(x_ptr + rows * x_row_stride + col, mask=mask, other=-float("inf")).to(tl.float32)
    numerator = tl.exp(x - tl.max(x, axis=0))
    y = numerator / tl.sum(numerator, axis=0)
    tl.store(y_ptr + rows * y_row_stride + col, y, mask=mask)


def reference(x):
    return torch.softmax(x, dim=1)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = triton.next_power_of_2(n_rows)
    softmax_kernel[(n_cols,)](x, y, x.stride(0), y.stride(0), n_rows, BLOCK_SIZE=BLOCK_SIZE)
    return y
