"""Ends both loops at the number of tiles, and moves on by a tile.

Code: first-tile-only
Mistake at: range(0, tl.cdiv(
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(
    x_ptr,  # input, (n_rows, n_cols)
    y_ptr,  # output, (n_rows, n_cols), same dtype
    x_row_stride,  # elements from one row of x to the next, at least n_cols
    y_row_stride,  # elements from one row of y to the next
    n_rows,  # rows, at least 1
    n_cols,  # columns, at least 1, often more than BLOCK_COLS
    BLOCK_ROWS: tl.constexpr,  # rows of a tile and of a program, a power of two
    BLOCK_COLS: tl.constexpr,  # columns of a tile, a power of two
):
    pid = tl.program_id(0).to(tl.int64)
    r = pid * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    c = tl.arange(0, BLOCK_COLS)

    row_max = tl.full([BLOCK_ROWS], -3.4028234663852886e38, dtype=tl.float32)
    denom = tl.zeros([BLOCK_ROWS], dtype=tl.float32)
    for start in range(0, tl.cdiv(n_cols, BLOCK_COLS), BLOCK_COLS):
        idx = start + c
        valid = (r[:, None] < n_rows) & (idx[None, :] < n_cols)
        ptrs = x_ptr + r[:, None] * x_row_stride + idx[None, :]
        vals = tl.load(ptrs, mask=valid, other=-float("inf")).to(tl.float32)
        new_max = tl.maximum(row_max, tl.max(vals, 1))
        factor = tl.exp(row_max - new_max)
        denom = denom * factor
        denom += tl.sum(tl.exp(vals - new_max[:, None]), 1)
        row_max = new_max

    for start in range(0, tl.cdiv(n_cols, BLOCK_COLS), BLOCK_COLS):
        idx = start + c
        valid = (r[:, None] < n_rows) & (idx[None, :] < n_cols)
        ptrs = x_ptr + r[:, None] * x_row_stride + idx[None, :]
        vals = tl.load(ptrs, mask=valid, other=-float("inf")).to(tl.float32)
        out = tl.exp(vals - row_max[:, None]) / denom[:, None]
        tl.store(y_ptr + r[:, None] * y_row_stride + idx[None, :], out, mask=valid)


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_COLS = min(triton.next_power_of_2(n_cols), 2048)
    BLOCK_ROWS = max(1024 // BLOCK_COLS, 2)  # the shorter the rows, the more of them
    num_warps = BLOCK_ROWS * BLOCK_COLS // 256

    grid = (triton.cdiv(n_rows, BLOCK_ROWS),)  # rounded up: the last program may have rows past the end

    softmax_kernel[grid](
        x,
        y,
        x.stride(0),
        y.stride(0),
        n_rows,
        n_cols,
        BLOCK_ROWS=BLOCK_ROWS,
        BLOCK_COLS=BLOCK_COLS,
        num_warps=num_warps,
    )
    return y
