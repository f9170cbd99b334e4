"""Works out maximum and sum in one kernel and the values in another, each with two rows for a program."""

import torch
import triton
import triton.language as tl


@triton.jit
def statistics_kernel(x_ptr, m_ptr, l_ptr, x_row_stride, n_rows, n_cols, BLOCK_COLS: tl.constexpr):
    rows = tl.program_id(0).to(tl.int64) * 2 + tl.arange(0, 2)
    m = tl.full((2,), -3.4e38, tl.float32)
    l = tl.zeros((2,), tl.float32)
    for start in range(0, n_cols, BLOCK_COLS):
        cols = start + tl.arange(0, BLOCK_COLS)[None, :]
        mask = (rows[:, None] < n_rows) & (cols < n_cols)
        x = tl.load(x_ptr + rows[:, None] * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
        m_new = tl.maximum(m, tl.max(x, axis=1))
        l = l * tl.exp(m - m_new) + tl.sum(tl.exp(x - m_new[:, None]), axis=1)
        m = m_new
    tl.store(m_ptr + rows, m, mask=rows < n_rows)
    tl.store(l_ptr + rows, l, mask=rows < n_rows)


@triton.jit
def values_kernel(x_ptr, y_ptr, m_ptr, l_ptr, x_row_stride, y_row_stride, n_rows, n_cols, BLOCK_COLS: tl.constexpr):
    rows = tl.program_id(0).to(tl.int64) * 2 + tl.arange(0, 2)
    m = tl.load(m_ptr + rows, mask=rows < n_rows, other=0.0)[:, None]
    l = tl.load(l_ptr + rows, mask=rows < n_rows, other=1.0)[:, None]
    for start in range(0, n_cols, BLOCK_COLS):
        cols = start + tl.arange(0, BLOCK_COLS)[None, :]
        mask = (rows[:, None] < n_rows) & (cols < n_cols)
        x = tl.load(x_ptr + rows[:, None] * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
        tl.store(y_ptr + rows[:, None] * y_row_stride + cols, tl.exp(x - m) / l, mask=mask)


def reference(x):
    return torch.softmax(x, dim=-1)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    m = torch.empty(n_rows, dtype=torch.float32, device=x.device)
    l = torch.empty_like(m)
    grid, BLOCK_COLS = (triton.cdiv(n_rows, 2),), min(triton.next_power_of_2(n_cols), 1024)
    statistics_kernel[grid](x, m, l, x.stride(0), n_rows, n_cols, BLOCK_COLS=BLOCK_COLS)
    values_kernel[grid](x, y, m, l, x.stride(0), y.stride(0), n_rows, n_cols, BLOCK_COLS=BLOCK_COLS)
    return y
