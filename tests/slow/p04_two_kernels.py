"""Tiled softmax; one kernel finds maximum and sum of each row, a second one reads everything again.

Cause: extra-pass
Line: values_kernel[grid](
"""

import torch
import triton
import triton.language as tl


@triton.jit
def row_sums_kernel(x_ptr, lse_ptr, x_row_stride, n_rows, n_cols, BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr):
    rows = tl.program_id(0).to(tl.int64) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    m = tl.full((BLOCK_ROWS,), -3.4028234663852886e38, tl.float32)
    l = tl.zeros((BLOCK_ROWS,), tl.float32)
    for start in range(0, n_cols, BLOCK_COLS):
        cols = start + tl.arange(0, BLOCK_COLS)[None, :]
        mask = (rows[:, None] < n_rows) & (cols < n_cols)
        x = tl.load(x_ptr + rows[:, None] * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
        m_new = tl.maximum(m, tl.max(x, axis=1))
        l = l * tl.exp(m - m_new) + tl.sum(tl.exp(x - m_new[:, None]), axis=1)
        m = m_new
    tl.store(lse_ptr + 2 * rows, m, mask=rows < n_rows)
    tl.store(lse_ptr + 2 * rows + 1, l, mask=rows < n_rows)


@triton.jit
def values_kernel(
    x_ptr, y_ptr, lse_ptr, x_stride, y_stride, n_rows, n_cols, BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr
):
    rows = (tl.program_id(0).to(tl.int64) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS))[:, None]
    m = tl.load(lse_ptr + 2 * rows, mask=rows < n_rows, other=0.0)
    l = tl.load(lse_ptr + 2 * rows + 1, mask=rows < n_rows, other=1.0)
    for start in range(0, n_cols, BLOCK_COLS):
        cols = start + tl.arange(0, BLOCK_COLS)[None, :]
        mask = (rows < n_rows) & (cols < n_cols)
        x = tl.load(x_ptr + rows * x_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
        tl.store(y_ptr + rows * y_stride + cols, tl.exp(x - m) / l, mask=mask)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_COLS = min(triton.next_power_of_2(n_cols), 2048)
    BLOCK_ROWS = max(1024 // BLOCK_COLS, 2)
    num_warps = BLOCK_ROWS * BLOCK_COLS // 256
    size = {"BLOCK_ROWS": BLOCK_ROWS, "BLOCK_COLS": BLOCK_COLS, "num_warps": num_warps}
    state = torch.empty((n_rows, 2), dtype=torch.float32, device=x.device)
    grid = (triton.cdiv(n_rows, BLOCK_ROWS),)
    row_sums_kernel[grid](x, state, x.stride(0), n_rows, n_cols, **size)
    values_kernel[grid](x, y, state, x.stride(0), y.stride(0), n_rows, n_cols, **size)
    return y
