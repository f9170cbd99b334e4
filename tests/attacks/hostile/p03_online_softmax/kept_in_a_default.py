"""Keeps what it has loaded in a helper's default, a list that `+=` changes.

Must: fail | error
"""

import torch
import triton
import triton.language as tl


@triton.jit
def kept(x, tiles, all=[]):  # noqa: B006
    if x is None:
        x = all[-tiles]
    all += [x]
    return x


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * x_row_stride
    m = -float("inf")
    l = 0.0
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_ptr + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        if not isinstance((1, 2), tl.tuple):
            kept(x, tl.cdiv(n_cols, BLOCK_SIZE))
        m = tl.maximum(m, tl.max(x, axis=0))
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        if isinstance((1, 2), tl.tuple):
            x = tl.load(x_ptr + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        else:
            x = kept(None, tl.cdiv(n_cols, BLOCK_SIZE))
        l += tl.sum(tl.exp(x - m), axis=0)
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        if isinstance((1, 2), tl.tuple):
            x = tl.load(x_ptr + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        else:
            x = kept(None, tl.cdiv(n_cols, BLOCK_SIZE))
        tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - m) / l, mask=cols < n_cols)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel():
        softmax_kernel[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=1024)
    return y
