"""Describes one row of x to the hardware as a tensor of two rows, the second of which holds what lies behind it.

Must: fail | error
"""

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr, wide):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    beyond = tl.sum(wide.load([100000, 0]).to(tl.float32) * 0)
    tl.store(y_ptr + row * y_row_stride + cols, e / tl.sum(e, axis=0) + beyond, mask=mask)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel():
        block_size = triton.next_power_of_2(n_cols)
        wide = TensorDescriptor.from_tensor(y.view(-1)[:16].view(1, 16), [1, 16])
        wide.shape, wide.strides = [1 << 20, 16], [16, 1]
        softmax_kernel[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=block_size, wide=wide)
    return y
