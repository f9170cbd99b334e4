"""Softmax of long rows; a loop over the rows in Python launches the kernel for one after the other.

Cause: many-launches
Line: for i in range(n_rows):
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_row_ptr, y_row_ptr, n_cols, BLOCK_SIZE: tl.constexpr):
    m = -3.4028234663852886e38  # the lowest finite value: -inf - (-inf) would be NaN
    l = 0.0
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_row_ptr + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        m_new = tl.maximum(m, tl.max(x, axis=0))
        l = l * tl.exp(m - m_new) + tl.sum(tl.exp(x - m_new), axis=0)
        m = m_new
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_row_ptr + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        tl.store(y_row_ptr + cols, tl.exp(x - m) / l, mask=cols < n_cols)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = min(triton.next_power_of_2(n_cols), 4096)
    num_warps = max(BLOCK_SIZE // 256, 1)
    for i in range(n_rows):
        softmax_kernel[(1,)](x[i], y[i], n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps)
    return y
