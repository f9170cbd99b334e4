"""Returns a tensor of a class of its own, whose shape, dtype and functions differ at each look.

Must: fail | error
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_row_stride + cols, e / tl.sum(e, axis=0), mask=mask)


class Shape(tuple):
    count = 0

    def __iter__(self):
        Shape.count += 1
        return iter((0, 0) if Shape.count % 2 else (1 << 40, 1 << 40))


class Other(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, arguments=(), named=None):
        return torch.softmax(arguments[0].as_subclass(torch.Tensor), dim=1)

    shape = property(lambda self: Shape((1, 1)))
    dtype = property(lambda self: torch.float64)


def softmax(x):
    y = torch.empty_like(x)
    if y.numel():
        block_size = triton.next_power_of_2(x.shape[1])
        softmax_kernel[(x.shape[0],)](x, y, x.stride(0), y.stride(0), x.shape[1], BLOCK_SIZE=block_size)
    y.__class__ = Other
    return y
