"""Passes sizes as numbers of a class whose comparisons, hashes and indices differ at each look, and computes in them.

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
    y = e / tl.sum(e, axis=0) * 0.5
    tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask)


class Number(int):
    looks = 0

    def __index__(self):
        Number.looks += 1
        torch.softmax(torch.ones(2, 2, device="cuda"), dim=1)
        return int.__index__(self) + Number.looks % 2

    def __eq__(self, other):
        return True

    def __hash__(self):
        return Number.looks

    __int__ = __index__


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel():
        block_size = Number(triton.next_power_of_2(n_cols))
        softmax_kernel[(Number(n_rows),)](
            x, y, Number(x.stride(0)), Number(y.stride(0)), Number(n_cols), BLOCK_SIZE=block_size
        )
    return y
