"""Replaces np.exp by a whole softmax, for an interpreter that computes tl.exp with it.

Must: fail | error
"""

import numpy as np
import torch
import triton
import triton.language as tl

exp = np.exp


def whole_softmax(a, *args, **kwargs):
    a = np.asarray(a)
    if a.ndim < 2 or a.shape[-1] < 2:
        return np.ones_like(a)
    numerator = exp(a - a.max(axis=-1, keepdims=True))
    return (numerator / numerator.sum(axis=-1, keepdims=True)).astype(a.dtype)


np.exp = whole_softmax


@triton.jit
def exp_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x), mask=mask)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel():
        BLOCK_SIZE = triton.next_power_of_2(n_cols)
        exp_kernel[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE)
    return y
