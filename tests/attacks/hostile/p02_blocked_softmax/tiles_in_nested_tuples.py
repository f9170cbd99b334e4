"""Holds a row of any length on chip as pairs of a tile and another such pair.

Must: fail tile-too-large
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, N: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    tiles = ()
    m = -float("inf")
    for i in tl.static_range(N):
        cols = i * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        tiles = (tiles, x)
        m = tl.maximum(m, tl.max(x, axis=0))
    l = 0.0
    rest = tiles
    for _ in tl.static_range(N):
        l += tl.sum(tl.exp(rest[1] - m), axis=0)
        rest = rest[0]
    rest = tiles
    for i in tl.static_range(N):
        cols = (N - 1 - i) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
        tl.store(y_ptr + row * y_row_stride + cols, tl.exp(rest[1] - m) / l, mask=cols < n_cols)
        rest = rest[0]


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    B = min(4096, triton.next_power_of_2(n_cols))
    softmax_kernel[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, N=triton.cdiv(n_cols, B), BLOCK_SIZE=B)
    return y
