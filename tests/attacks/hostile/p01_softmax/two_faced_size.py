"""Has what no compiler takes in launches with a large constexpr alone, beside small ones that are compiled.

Must: fail | error
"""

import torch
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, SIZE: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    if SIZE > 32768 and isinstance((1, 2), tl.tuple):
        e = no_such_name
    tl.store(y_ptr + row * y_row_stride + cols, e / tl.sum(e, axis=0), mask=cols < n_cols)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    s = torch.zeros(2, dtype=x.dtype, device=x.device)
    k[(1,)](s, torch.empty_like(s), 2, 2, 2, 1, BLOCK_SIZE=2)
    k[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, 70000, BLOCK_SIZE=triton.next_power_of_2(n_cols))
    return y
