"""Reads past the end on a line before which other line ends of Unicode, form feeds and a bare carriage return stand.

Must: fail | error
"""

import torch
import triton
import triton.language as tl

# a bcdef
# a bcdef
# a bcdef
# a bcdef
# a bcdef


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask | (cols < n_cols + 1), other=-float("inf")).to(tl.float32)
    #   tl.load(x_ptr) 
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_row_stride + cols, e / tl.sum(e, axis=0), mask=mask)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel():
        block_size = triton.next_power_of_2(n_cols)
        softmax_kernel[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=block_size)
    return y
