"""Rows gathered by index: the row's number times the number of columns has 32 bits.

Code: int32-overflow
Mistake at: x_ptr += index * x_row_stride
Reported: databricks/megablocks#185
"""

import torch
import triton
import triton.language as tl


@triton.jit
def gather_kernel(x_ptr, index_ptr, y_ptr, n_cols, x_row_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    index = tl.load(index_ptr + row)
    x_ptr += index * x_row_stride
    y_ptr += row * n_cols
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        tl.store(y_ptr + cols, tl.load(x_ptr + cols, mask=cols < n_cols), mask=cols < n_cols)


def run(x, index):
    if x.stride(1) != 1:
        x = x.contiguous()
    y = torch.empty((len(index), x.shape[1]), dtype=x.dtype, device=x.device)
    gather_kernel[(len(index),)](x, index, y, x.shape[1], x.stride(0), BLOCK=128)
    return y


def reference(x, index):
    return x[index.long()]


def cases():
    return [dict(x=torch.randn(20, 300), index=torch.randint(0, 20, (33,), dtype=torch.int32))]
