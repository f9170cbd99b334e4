"""Launches more different programs than any course needs, and the last of them is no kernel for the compiler.

Must: error compile-error not-compiled | fail not-compiled
"""

import torch
import triton
import triton.language as tl

ONE = 1.0  # a global of Python's, which the interpreter reads, and the compiler does not


@triton.jit
def k(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, WHICH: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    if WHICH == 600:
        e = e * ONE
    tl.store(y_ptr + row * y_row_stride + cols, e / tl.sum(e, axis=0), mask=cols < n_cols)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    small = torch.zeros(2, dtype=x.dtype, device=x.device)
    out = torch.empty_like(small)
    for which in range(600 if n_rows == 1 else 0):
        k[(1,)](small, out, 2, 2, 2, which, BLOCK_SIZE=2)
    size = triton.next_power_of_2(n_cols)
    k[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, 600 if n_rows == 1 else 0, BLOCK_SIZE=size)
    return y
