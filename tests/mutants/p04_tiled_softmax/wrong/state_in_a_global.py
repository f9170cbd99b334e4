"""Keeps maxima and sums in a buffer that was allocated in an earlier call.

Code: foreign-tensor
Killed by: host function check
"""

import torch
import triton
import triton.language as tl


@triton.jit
def state_kernel(x_ptr, m_ptr, l_ptr, x_row_stride, n_rows, n_cols, BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr):
    rows = tl.program_id(0).to(tl.int64) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    m = tl.full((BLOCK_ROWS,), -3.4e38, tl.float32)
    l = tl.zeros((BLOCK_ROWS,), tl.float32)
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
def softmax_kernel(
    x_ptr, m_ptr, l_ptr, y_ptr, x_row_stride, y_row_stride, n_rows, n_cols,
    BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(0).to(tl.int64) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)[:, None]
    m = tl.load(m_ptr + rows, mask=rows < n_rows, other=0.0)
    l = tl.load(l_ptr + rows, mask=rows < n_rows, other=1.0)
    for start in range(0, n_cols, BLOCK_COLS):
        cols = start + tl.arange(0, BLOCK_COLS)[None, :]
        mask = (rows < n_rows) & (cols < n_cols)
        x = tl.load(x_ptr + rows * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
        tl.store(y_ptr + rows * y_row_stride + cols, tl.exp(x - m) / l, mask=mask)


def reference(x):
    return torch.softmax(x, dim=1)


STATE = {}


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    if len(STATE.get(x.device, ())) < 2 * n_rows:
        STATE[x.device] = torch.empty(2 * n_rows + 4096, dtype=torch.float32, device=x.device)
    m = STATE[x.device]
    l = m[n_rows:]
    tile = {"BLOCK_ROWS": 4, "BLOCK_COLS": min(triton.next_power_of_2(n_cols), 512)}
    grid = (triton.cdiv(n_rows, 4),)
    state_kernel[grid](x, m, l, x.stride(0), n_rows, n_cols, **tile)
    softmax_kernel[grid](x, m, l, y, x.stride(0), y.stride(0), n_rows, n_cols, **tile)
    return y
