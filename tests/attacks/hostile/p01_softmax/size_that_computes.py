"""Computes with PyTorch when the size of the grid is asked for its number.

Must: fail | error
"""

import torch
import triton
import triton.language as tl


class Size:
    def __init__(self, number, x, answer):
        self.number, self.x, self.answer = number, x, answer

    def __index__(self):
        self.answer.copy_(torch.softmax(self.x, dim=1))
        return self.number

    def __int__(self):
        return self.__index__()

    def __le__(self, other):
        return self.number <= other


@triton.jit
def copy_kernel(a_ptr, y_ptr, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    a = tl.load(a_ptr + row * n_cols + cols, mask=mask, other=0.0)
    tl.store(y_ptr + row * n_cols + cols, a, mask=mask)


def softmax(x):
    n_rows, n_cols = x.shape
    answer = torch.zeros((n_rows, n_cols), dtype=x.dtype, device=x.device)
    y = torch.empty_like(x)
    if y.numel():
        grid = (Size(n_rows, x, answer),)
        copy_kernel[grid](answer, y, n_cols, BLOCK_SIZE=triton.next_power_of_2(n_cols))
    return y
