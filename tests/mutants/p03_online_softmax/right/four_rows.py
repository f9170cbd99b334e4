"""Takes four rows per program in 2-D tiles and walks backwards in the second pass."""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_rows, n_cols, BLOCK_SIZE: tl.constexpr):
    rows = tl.program_id(0).to(tl.int64) * 4 + tl.arange(0, 4)[:, None]
    n_tiles = tl.cdiv(n_cols, BLOCK_SIZE)
    m = tl.full((4, 1), -3.4e38, tl.float32)
    l = tl.zeros((4, 1), tl.float32)
    for tile in range(n_tiles):
        cols = tile * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)[None, :]
        mask = (rows < n_rows) & (cols < n_cols)
        x = tl.load(x_ptr + rows * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
        m_new = tl.maximum(m, tl.max(x, axis=1, keep_dims=True))
        l = l * tl.exp(m - m_new) + tl.sum(tl.exp(x - m_new), axis=1, keep_dims=True)
        m = m_new
    for tile in range(n_tiles):
        cols = (n_tiles - 1 - tile) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)[None, :]
        mask = (rows < n_rows) & (cols < n_cols)
        x = tl.load(x_ptr + rows * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
        tl.store(y_ptr + rows * y_row_stride + cols, tl.exp(x - m) / l, mask=mask)


def reference(x):
    return torch.softmax(x, dim=1)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = min(triton.next_power_of_2(n_cols), 1024)
    softmax_kernel[(triton.cdiv(n_rows, 4),)](x, y, x.stride(0), y.stride(0), n_rows, n_cols, BLOCK_SIZE=BLOCK_SIZE)
    return y
