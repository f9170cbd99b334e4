"""Launches a kernel that reads x three times, and defines an honest one of the same name behind it.

Must: fail | error
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x_ptr += row * x_row_stride
    m = tl.max(tl.load(x_ptr + cols, mask=mask, other=-float("inf")).to(tl.float32), axis=0)
    l = tl.sum(tl.exp(tl.load(x_ptr + cols, mask=mask, other=-float("inf")).to(tl.float32) - m), axis=0)
    x = tl.load(x_ptr + cols, mask=mask, other=-float("inf")).to(tl.float32)
    tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - m) / l, mask=mask)


first = softmax_kernel


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    numerator = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_row_stride + cols, numerator / tl.sum(numerator, axis=0), mask=mask)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel():
        first[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=triton.next_power_of_2(n_cols))
    return y
