"""Passes a constexpr whose value, when it is looked at, has PyTorch compute.

Must: fail | error
"""

import torch
import triton
import triton.language as tl


class Offset(int):
    """A zero that computes whenever it is added to something."""

    def __add__(self, other):
        if waiting:
            x, answer = waiting[-1]
            answer.copy_(torch.softmax(x, dim=1))
        return other

    __radd__ = __add__


waiting = []


@triton.jit
def copy_kernel(a_ptr, y_ptr, n_cols, OFFSET: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE + OFFSET)
    mask = cols < n_cols
    a = tl.load(a_ptr + row * n_cols + cols, mask=mask, other=0.0)
    tl.store(y_ptr + row * n_cols + cols, a, mask=mask)


def softmax(x):
    n_rows, n_cols = x.shape
    answer = torch.zeros((n_rows, n_cols), dtype=x.dtype, device=x.device)
    y = torch.empty_like(x)
    if y.numel():
        waiting.append((x, answer))
        copy_kernel[(n_rows,)](answer, y, n_cols, Offset(0), BLOCK_SIZE=triton.next_power_of_2(n_cols))
    return y
