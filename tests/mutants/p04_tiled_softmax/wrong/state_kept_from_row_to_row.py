"""Takes the rows of a program one by one, and starts the pair of maximum and sum for the first of them alone.

Code: state-kept-across-rows
Mistake at: m_new = tl.maximum(m
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(
    x_ptr, y_ptr, x_row_stride, y_row_stride, n_rows, n_cols, BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr
):
    top = tl.program_id(0).to(tl.int64) * BLOCK_ROWS
    lanes = tl.arange(0, BLOCK_COLS)
    m = -3.4028234663852886e38
    l = 0.0
    for number in range(BLOCK_ROWS):
        row = top + number
        for start in range(0, n_cols, BLOCK_COLS):
            mask = (start + lanes < n_cols) & (row < n_rows)
            x = tl.load(x_ptr + row * x_row_stride + start + lanes, mask=mask, other=-float("inf")).to(tl.float32)
            m_new = tl.maximum(m, tl.max(x, axis=0))
            l = l * tl.exp(m - m_new) + tl.sum(tl.exp(x - m_new), axis=0)
            m = m_new
        for start in range(0, n_cols, BLOCK_COLS):
            mask = (start + lanes < n_cols) & (row < n_rows)
            x = tl.load(x_ptr + row * x_row_stride + start + lanes, mask=mask, other=-float("inf")).to(tl.float32)
            tl.store(y_ptr + row * y_row_stride + start + lanes, tl.exp(x - m) / l, mask=mask)


def reference(x):
    return torch.softmax(x, dim=1)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    grid = (triton.cdiv(n_rows, 4),)
    softmax_kernel[grid](x, y, x.stride(0), y.stride(0), n_rows, n_cols, BLOCK_ROWS=4, BLOCK_COLS=1024)
    return y
