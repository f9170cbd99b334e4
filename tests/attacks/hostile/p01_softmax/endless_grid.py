"""Loops for ever in the grid.

Must: error timeout
"""

import torch
import triton
import triton.language as tl


@triton.jit
def zero_kernel(x_ptr, y_ptr, x_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=0.0)
    tl.store(y_ptr + row * n_cols + cols, x * 0.0, mask=mask)


def grid(meta):
    while True:
        pass


def softmax(x):
    y = torch.empty_like(x)
    zero_kernel[grid](x, y, x.stride(0), x.shape[1], BLOCK_SIZE=1024)
    return y
