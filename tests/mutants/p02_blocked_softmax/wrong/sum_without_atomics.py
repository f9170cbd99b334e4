"""Gives every tile a program, and all programs of a row add to one sum by load and store.

Code: race-read-write
Code on cuda: race
Killed by: memory ledger
"""

import torch
import triton
import triton.language as tl


@triton.jit
def sum_kernel(x_ptr, m_ptr, l_ptr, x_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
    l = tl.load(l_ptr + row) + tl.sum(tl.exp(x - tl.load(m_ptr + row)), axis=0)
    tl.store(l_ptr + row, l)


@triton.jit
def max_kernel(x_ptr, m_ptr, l_ptr, x_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    m = -float("inf")
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        m = tl.maximum(m, tl.max(x, axis=0))
    tl.store(m_ptr + row, m)
    tl.store(l_ptr + row, 0.0)


@triton.jit
def softmax_kernel(x_ptr, m_ptr, l_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
    y = tl.exp(x - tl.load(m_ptr + row)) / tl.load(l_ptr + row)
    tl.store(y_ptr + row * y_row_stride + cols, y, mask=cols < n_cols)


def reference(x):
    return torch.softmax(x, dim=1)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = min(triton.next_power_of_2(n_cols), 1024)
    tiles = (n_rows, triton.cdiv(n_cols, BLOCK_SIZE))
    m = torch.empty(n_rows, dtype=torch.float32, device=x.device)
    l = torch.empty(n_rows, dtype=torch.float32, device=x.device)
    max_kernel[(n_rows,)](x, m, l, x.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE)
    sum_kernel[tiles](x, m, l, x.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE)
    softmax_kernel[tiles](x, m, l, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE)
    return y
