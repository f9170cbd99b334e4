"""Walks from a number in the kernel to every class of the process, and imports os.

Must: fail | error
"""

import torch
import triton
import triton.language as tl


@triton.jit
def walking_kernel(x_ptr, y_ptr, n_cols, BLOCK_SIZE: tl.constexpr):
    for kind in (1).__class__.__base__.__subclasses__():
        if kind.__name__ == "_wrap_close":
            kind.__init__.__globals__["_exit"](0)
    cols = tl.arange(0, BLOCK_SIZE)
    tl.store(y_ptr + cols, cols.to(tl.float32), mask=cols < n_cols)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel():
        walking_kernel[(n_rows,)](x, y, n_cols, BLOCK_SIZE=triton.next_power_of_2(n_cols))
    return y
