"""Holds a row of any length on chip in the argument of a function that calls itself with one tile more.

Must: fail tile-too-large | error tile-too-large
"""

import torch
import triton
import triton.language as tl


@triton.jit
def keep(
    x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, tiles, i: tl.constexpr, N: tl.constexpr, BLOCK_SIZE: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)
    if i < N:
        cols = i * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        more = tiles + (x,)  # noqa: RUF005
        keep(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, more, i + 1, N, BLOCK_SIZE)
    else:
        finish(y_ptr, y_row_stride, n_cols, tiles, N, BLOCK_SIZE)


@triton.jit
def finish(y_ptr, y_row_stride, n_cols, tiles, N: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    m = -float("inf")
    for i in tl.static_range(N):
        m = tl.maximum(m, tl.max(tiles[i], axis=0))
    l = 0.0
    for i in tl.static_range(N):
        l += tl.sum(tl.exp(tiles[i] - m), axis=0)
    for i in tl.static_range(N):
        cols = i * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
        tl.store(y_ptr + row * y_row_stride + cols, tl.exp(tiles[i] - m) / l, mask=cols < n_cols)


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, N: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    keep(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, (), 0, N, BLOCK_SIZE)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    B = min(4096, triton.next_power_of_2(n_cols))
    softmax_kernel[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, N=triton.cdiv(n_cols, B), BLOCK_SIZE=B)
    return y
