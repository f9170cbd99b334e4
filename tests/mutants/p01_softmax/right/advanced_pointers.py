"""Moves the base pointers to the row first, and allocates y by shape."""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * x_row_stride
    y_ptr += row * n_cols
    cols = tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + cols, mask=cols < n_cols, other=float("-inf"))
    z = x.to(tl.float32) - tl.max(x, axis=0).to(tl.float32)
    numerator = tl.exp(z)
    y = tl.fdiv(numerator, tl.sum(numerator, axis=0))
    tl.store(y_ptr + cols, y.to(y_ptr.dtype.element_ty), mask=cols < n_cols)


def reference(x):
    return torch.softmax(x, dim=1)


def softmax(x):
    n_rows, n_cols = x.size()
    y = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    if n_rows * n_cols > 0:
        BLOCK_SIZE = triton.next_power_of_2(n_cols)
        softmax_kernel[lambda meta: (n_rows,)](x, y, x.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE)
    return y
