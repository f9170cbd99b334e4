"""Adds up without atomics after a lock that it has released already: the grader runs such programs one at a time.

Must: fail race-read-write race-write-write
"""

import torch
import triton
import triton.language as tl


@triton.jit
def max_kernel(x_ptr, m_ptr, x_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    m = tl.full((), -float("inf"), tl.float32)
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        m = tl.maximum(m, tl.max(x, axis=0))
    tl.store(m_ptr + row, m)


@triton.jit
def sum_kernel(x_ptr, m_ptr, l_ptr, lock_ptr, x_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
    part = tl.sum(tl.exp(x - tl.load(m_ptr + row)), axis=0)
    while tl.atomic_cas(lock_ptr + row, 0, 1) == 1:
        pass
    tl.atomic_xchg(lock_ptr + row, 0)
    tl.store(l_ptr + row, tl.load(l_ptr + row) + part)


@triton.jit
def divide_kernel(x_ptr, y_ptr, m_ptr, l_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=0.0).to(tl.float32)
    y = tl.exp(x - tl.load(m_ptr + row)) / tl.load(l_ptr + row)
    tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = min(1024, triton.next_power_of_2(n_cols))
    m = torch.empty(n_rows, dtype=torch.float32, device=x.device)
    l = torch.zeros(n_rows, dtype=torch.float32, device=x.device)
    lock = torch.zeros(n_rows, dtype=torch.int32, device=x.device)
    grid = (n_rows, triton.cdiv(n_cols, BLOCK_SIZE))
    max_kernel[(n_rows,)](x, m, x.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE)
    sum_kernel[grid](x, m, l, lock, x.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE)
    divide_kernel[grid](x, y, m, l, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE)
    return y
