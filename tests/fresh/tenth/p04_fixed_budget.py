"""Tiled softmax with tiles of about 1,024 elements."""

import torch
import triton
import triton.language as tl

TILE = 1024


def reference(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, dim=1)


@triton.jit
def tile(ptr, rows, cols, stride, n_rows, n_cols):
    p = ptr + rows[:, None] * stride + cols[None, :]
    return tl.load(p, mask=(rows[:, None] < n_rows) & (cols[None, :] < n_cols), other=-float("inf")).to(tl.float32)


@triton.jit
def softmax_kernel(
    x_ptr, y_ptr, x_row_stride, y_row_stride, n_rows, n_cols, BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr
):
    rows = tl.program_id(0).to(tl.int64) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    cols = tl.arange(0, BLOCK_COLS)
    m = tl.full((BLOCK_ROWS,), -3.4028234663852886e38, tl.float32)
    l = tl.zeros((BLOCK_ROWS,), tl.float32)

    for j in range(0, tl.cdiv(n_cols, BLOCK_COLS)):
        t = tile(x_ptr, rows, j * BLOCK_COLS + cols, x_row_stride, n_rows, n_cols)
        m_next = tl.maximum(m, tl.max(t, axis=1))
        l = tl.sum(tl.exp(t - m_next[:, None]), axis=1) + l * tl.exp(m - m_next)
        m = m_next

    inv = 1.0 / l
    for j in range(0, tl.cdiv(n_cols, BLOCK_COLS)):
        c = j * BLOCK_COLS + cols
        t = tile(x_ptr, rows, c, x_row_stride, n_rows, n_cols)
        where = y_ptr + rows[:, None] * y_row_stride + c[None, :]
        tl.store(where, tl.exp(t - m[:, None]) * inv[:, None], mask=(rows[:, None] < n_rows) & (c[None, :] < n_cols))


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_COLS = min(triton.next_power_of_2(n_cols), TILE)
    BLOCK_ROWS = TILE // BLOCK_COLS
    grid = (triton.cdiv(n_rows, BLOCK_ROWS),)
    args = (x, y, x.stride(0), y.stride(0), n_rows, n_cols)
    softmax_kernel[grid](*args, BLOCK_ROWS=BLOCK_ROWS, BLOCK_COLS=BLOCK_COLS, num_warps=4)
    return y
