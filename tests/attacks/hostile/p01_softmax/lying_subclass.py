"""Passes subclasses of Tensor that lie about shape, dtype, device and address, and returns one.

Must: fail | error
"""

import torch
import triton
import triton.language as tl


class Liar(torch.Tensor):
    shape = property(lambda self: torch.Size((7, 7)))
    dtype = property(lambda self: torch.float32)
    device = property(lambda self: torch.device("cuda:9"))

    def size(self, *args):
        return torch.Size((1 << 40,))

    def stride(self, *args):
        return -1

    def data_ptr(self):
        return 0xDEADBEEF000

    def numel(self):
        return -5

    def element_size(self):
        return 0


@triton.jit
def zero_kernel(x_ptr, y_ptr, x_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=0.0)
    tl.store(y_ptr + row * n_cols + cols, x * 0.0, mask=mask)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    liar = torch.Tensor._make_subclass(Liar, y)
    if y.numel():
        zero_kernel[(n_rows,)](x, liar, x.stride(0), n_cols, BLOCK_SIZE=triton.next_power_of_2(n_cols))
    return liar
