"""Softmax of long rows; a tile has 128 columns, one for each thread of four warps.

Cause: tiny-tiles
Line: BLOCK_SIZE = 128
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * x_row_stride
    y_ptr += row * y_row_stride
    lanes = tl.arange(0, BLOCK_SIZE)
    # A maximum and a sum for each lane: nothing is reduced until the row has been seen.
    m = tl.full((BLOCK_SIZE,), -3.4028234663852886e38, tl.float32)
    l = tl.zeros((BLOCK_SIZE,), tl.float32)
    for start in range(0, n_cols, BLOCK_SIZE):
        x = tl.load(x_ptr + start + lanes, mask=start + lanes < n_cols, other=-float("inf")).to(tl.float32)
        m_new = tl.maximum(m, x)
        l = l * tl.exp(m - m_new) + tl.exp(x - m_new)
        m = m_new
    row_m = tl.max(m, axis=0)
    scale = 1.0 / tl.sum(l * tl.exp(m - row_m), axis=0)
    for start in range(0, n_cols, BLOCK_SIZE):
        x = tl.load(x_ptr + start + lanes, mask=start + lanes < n_cols, other=-float("inf")).to(tl.float32)
        tl.store(y_ptr + start + lanes, tl.exp(x - row_m) * scale, mask=start + lanes < n_cols)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = 128
    softmax_kernel[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=4)
    return y
