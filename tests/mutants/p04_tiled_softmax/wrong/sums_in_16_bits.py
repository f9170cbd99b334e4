"""Adds the terms of each tile in the dtype of x; the running sums are kept in float32.

Code: low-precision
Device: cpu
Mistake at: terms = tl.exp(
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(
    x_ptr, y_ptr, x_row_stride, y_row_stride, n_rows, n_cols, BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr
):
    rows = tl.program_id(0).to(tl.int64) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)[:, None]
    m = tl.full((BLOCK_ROWS,), -3.4028234663852886e38, tl.float32)
    l = tl.zeros((BLOCK_ROWS,), tl.float32)
    for start in range(0, n_cols, BLOCK_COLS):
        cols = start + tl.arange(0, BLOCK_COLS)[None, :]
        mask = (rows < n_rows) & (cols < n_cols)
        x = tl.load(x_ptr + rows * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
        m_new = tl.maximum(m, tl.max(x, axis=1))
        terms = tl.exp(x - m_new[:, None]).to(x_ptr.dtype.element_ty)
        l = l * tl.exp(m - m_new) + tl.sum(terms, axis=1).to(tl.float32)
        m = m_new
    for start in range(0, n_cols, BLOCK_COLS):
        cols = start + tl.arange(0, BLOCK_COLS)[None, :]
        mask = (rows < n_rows) & (cols < n_cols)
        x = tl.load(x_ptr + rows * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
        y = tl.exp(x - m[:, None]) / l[:, None]
        tl.store(y_ptr + rows * y_row_stride + cols, y, mask=mask)


def reference(x):
    return torch.softmax(x, dim=1)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_ROWS, BLOCK_COLS = 2, min(triton.next_power_of_2(n_cols), 2048)
    grid = (triton.cdiv(n_rows, BLOCK_ROWS),)
    softmax_kernel[grid](x, y, x.stride(0), y.stride(0), n_rows, n_cols, BLOCK_ROWS=BLOCK_ROWS, BLOCK_COLS=BLOCK_COLS)
    return y
