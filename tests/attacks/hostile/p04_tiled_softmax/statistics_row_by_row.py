"""Gives each program one row where maximum and sum are worked out, in two launches.

Must: fail too-many-programs | error too-many-programs
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    m = -float("inf")
    l = 0.0
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        m_new = tl.maximum(m, tl.max(x, axis=0))
        safe = tl.where(m_new == -float("inf"), 0.0, m_new)
        l = l * tl.where(m == m_new, 1.0, tl.exp(m - safe)) + tl.sum(tl.exp(x - safe), axis=0)
        m = m_new
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - m) / l, mask=cols < n_cols)


@triton.jit
def statistics_kernel(x_ptr, s_ptr, x_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    m = -float("inf")
    l = 0.0
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        m_new = tl.maximum(m, tl.max(x, axis=0))
        safe = tl.where(m_new == -float("inf"), 0.0, m_new)
        l = l * tl.where(m == m_new, 1.0, tl.exp(m - safe)) + tl.sum(tl.exp(x - safe), axis=0)
        m = m_new
    tl.store(s_ptr + 2 * row, m)
    tl.store(s_ptr + 2 * row + 1, l)


@triton.jit
def write_kernel(x_ptr, s_ptr, y_ptr, x_row_stride, y_row_stride, n_rows, n_cols, BLOCK_SIZE: tl.constexpr):
    rows = tl.program_id(0).to(tl.int64) * 2 + tl.arange(0, 2)
    m = tl.load(s_ptr + 2 * rows, mask=rows < n_rows, other=0.0)[:, None]
    l = tl.load(s_ptr + 2 * rows + 1, mask=rows < n_rows, other=1.0)[:, None]
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        mask = (rows < n_rows)[:, None] & (cols < n_cols)[None, :]
        x = tl.load(x_ptr + rows[:, None] * x_row_stride + cols[None, :], mask=mask, other=-float("inf")).to(tl.float32)
        tl.store(y_ptr + rows[:, None] * y_row_stride + cols[None, :], tl.exp(x - m) / l, mask=mask)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = min(1024, triton.next_power_of_2(n_cols))
    s = torch.empty((n_rows, 2), dtype=torch.float32, device=x.device)
    half = (n_rows + 1) // 2
    for first, n in ((0, half), (half, n_rows - half)):
        if n:
            statistics_kernel[(n,)](x[first:], s[first:], x.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE)
    programs = (triton.cdiv(n_rows, 2),)
    write_kernel[programs](x, s, y, x.stride(0), y.stride(0), n_rows, n_cols, BLOCK_SIZE=BLOCK_SIZE)
    return y
