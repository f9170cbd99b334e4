"""Gives each program one row, in two launches that each keep the limit of programs.

Must: fail too-many-programs
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    m = -float("inf")
    l = 0.0
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        m_new = tl.maximum(m, tl.max(x, axis=0))
        safe = tl.where(m_new == -float("inf"), 0.0, m_new)
        l = l * tl.where(m == m_new, 1.0, tl.exp(m - safe)) + tl.sum(tl.exp(x - safe), axis=0)
        m = m_new
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - m) / l, mask=cols < n_cols)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    half = (n_rows + 1) // 2
    for first, n in ((0, half), (half, n_rows - half)):
        if n:
            softmax_kernel[(n,)](
                x[first:],
                y[first:],
                x.stride(0),
                y.stride(0),
                n_cols,
                BLOCK_SIZE=min(1024, triton.next_power_of_2(n_cols)),
            )
    return y
