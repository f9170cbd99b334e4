"""Softmax, one row per program; neighbouring lanes get columns that lie a 32nd of the tile apart.

Cause: strided-loads
Line: cols = (lanes % SPLIT) * (BLOCK_SIZE // SPLIT) + lanes // SPLIT
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr, SPLIT: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    # The row is cut into SPLIT pieces, and lanes take turns among the pieces.
    lanes = tl.arange(0, BLOCK_SIZE)
    cols = (lanes % SPLIT) * (BLOCK_SIZE // SPLIT) + lanes // SPLIT
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    numerator = tl.exp(x - tl.max(x, axis=0))
    y = numerator / tl.sum(numerator, axis=0)
    tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    softmax_kernel[(n_rows,)](
        x,
        y,
        x.stride(0),
        y.stride(0),
        n_cols,
        BLOCK_SIZE=BLOCK_SIZE,
        SPLIT=min(BLOCK_SIZE, 32),
        num_warps=min(max(BLOCK_SIZE // 512, 1), 16),
    )
    return y
