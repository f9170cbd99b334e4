"""Tiled softmax; a flat range of lanes is turned into rows and columns, with the rows running fastest.

Cause: strided-loads
Line: rows, lanes = first + flat % ROWS, flat // ROWS
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_rows, n_cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    first = tl.program_id(0).to(tl.int64) * ROWS
    flat = tl.arange(0, ROWS * COLS)
    rows, lanes = first + flat % ROWS, flat // ROWS
    x_ptrs = x_ptr + rows * x_row_stride + lanes
    y_ptrs = y_ptr + rows * y_row_stride + lanes
    m = tl.full((1, ROWS), -3.4028234663852886e38, tl.float32)
    l = tl.zeros((1, ROWS), tl.float32)
    for start in range(0, n_cols, COLS):
        mask = (rows < n_rows) & (lanes < n_cols - start)
        x = tl.load(x_ptrs + start, mask=mask, other=-float("inf")).to(tl.float32)
        x = tl.reshape(x, (COLS, ROWS))
        m_new = tl.maximum(m, tl.max(x, axis=0, keep_dims=True))
        l = l * tl.exp(m - m_new) + tl.sum(tl.exp(x - m_new), axis=0, keep_dims=True)
        m = m_new
    for start in range(0, n_cols, COLS):
        mask = (rows < n_rows) & (lanes < n_cols - start)
        x = tl.load(x_ptrs + start, mask=mask, other=-float("inf")).to(tl.float32)
        y = tl.exp(tl.reshape(x, (COLS, ROWS)) - m) / l
        tl.store(y_ptrs + start, tl.reshape(y, (ROWS * COLS,)), mask=mask)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    ROWS, COLS = 32, min(triton.next_power_of_2(n_cols), 64)
    grid = (triton.cdiv(n_rows, ROWS),)
    softmax_kernel[grid](x, y, x.stride(0), y.stride(0), n_rows, n_cols, ROWS=ROWS, COLS=COLS, num_warps=4)
    return y
