"""Computes with PyTorch in the function that returns the grid.

Must: fail | error
"""

import torch
import triton
import triton.language as tl


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

    def grid(meta):
        answer.copy_(torch.softmax(x, dim=1))
        return (n_rows,)

    if y.numel():
        copy_kernel[grid](answer, y, n_cols, BLOCK_SIZE=triton.next_power_of_2(n_cols))
    return y
