"""Copies a few rows at a time into one small scratch tensor, and reads that three times in place of x.

Must: fail scratch-too-large
"""

import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(x_ptr, s_ptr, x_row_stride, s_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols)
        tl.store(s_ptr + row * s_row_stride + cols, x, mask=cols < n_cols)


@triton.jit
def three_pass_kernel(s_ptr, y_ptr, s_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    s_ptr += row * s_row_stride
    m = -3.4e38
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        m = tl.maximum(m, tl.max(tl.load(s_ptr + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32), axis=0))
    l = 0.0
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        l += tl.sum(tl.exp(tl.load(s_ptr + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32) - m), axis=0)
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        e = tl.exp(tl.load(s_ptr + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32) - m)
        tl.store(y_ptr + row * y_row_stride + cols, e / l, mask=cols < n_cols)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE, step = min(triton.next_power_of_2(n_cols), 1024), triton.cdiv(n_rows, 16)
    s = torch.empty((step, n_cols), dtype=x.dtype, device=x.device)
    for first in range(0, n_rows, step):
        part, rows = x[first : first + step], (min(step, n_rows - first),)
        copy_kernel[rows](part, s, x.stride(0), n_cols, n_cols, BLOCK_SIZE=BLOCK_SIZE)
        three_pass_kernel[rows](s, y[first:], n_cols, y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE)
    return y
