"""Tiled softmax."""

import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, dim=1)


@triton.jit
def softmax_kernel(
    x_ptr,
    y_ptr,
    x_row_stride,
    y_row_stride,
    n_rows,
    n_cols,
    BLOCK_ROWS: tl.constexpr,
    BLOCK_COLS: tl.constexpr,
):
    rows = tl.program_id(0).to(tl.int64) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    # keeps the loads inside the matrix
    source, readable = rows % n_rows, rows >= 0
    x_rows = x_ptr + source[:, None] * x_row_stride
    y_rows = y_ptr + rows[:, None] * y_row_stride

    m = tl.full((BLOCK_ROWS,), -3.4028234663852886e38, tl.float32)
    l = tl.zeros((BLOCK_ROWS,), tl.float32)
    for start in range(0, n_cols, BLOCK_COLS):
        cols = start + tl.arange(0, BLOCK_COLS)[None, :]
        x = tl.load(x_rows + cols, mask=readable[:, None] & (cols < n_cols), other=-float("inf")).to(tl.float32)
        top = tl.maximum(m, tl.max(x, axis=1))
        l *= tl.exp(m - top)
        l += tl.sum(tl.exp(x - top[:, None]), axis=1)
        m = top

    for start in range(0, n_cols, BLOCK_COLS):
        cols = start + tl.arange(0, BLOCK_COLS)[None, :]
        x = tl.load(x_rows + cols, mask=readable[:, None] & (cols < n_cols), other=-float("inf")).to(tl.float32)
        y = tl.exp(x - m[:, None]) / l[:, None]
        tl.store(y_rows + cols, y, mask=(rows < n_rows)[:, None] & (cols < n_cols))


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_COLS = min(triton.next_power_of_2(n_cols), 1024)
    BLOCK_ROWS = max(1024 // BLOCK_COLS, 2)
    softmax_kernel[(triton.cdiv(n_rows, BLOCK_ROWS),)](
        x,
        y,
        x.stride(0),
        y.stride(0),
        n_rows,
        n_cols,
        BLOCK_ROWS=BLOCK_ROWS,
        BLOCK_COLS=BLOCK_COLS,
        num_warps=4,
    )
    return y
