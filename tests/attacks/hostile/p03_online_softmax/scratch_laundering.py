"""Copies x into scratch memory, and reads the scratch memory three times in place of x.

Must: fail | error
"""

import torch
import triton
import triton.language as tl


@triton.jit
def three_pass_kernel(x_ptr, s_ptr, y_ptr, x_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * x_row_stride
    s_ptr += row * n_cols
    y_ptr += row * n_cols
    m = -3.4e38
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_ptr + cols, mask=cols < n_cols, other=-float("inf"))
        tl.store(s_ptr + cols, x, mask=cols < n_cols)
        m = tl.maximum(m, tl.max(x.to(tl.float32), axis=0))
    l = 0.0
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(s_ptr + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        l += tl.sum(tl.exp(x - m), axis=0)
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(s_ptr + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        tl.store(y_ptr + cols, tl.exp(x - m) / l, mask=cols < n_cols)


def softmax(x):
    n_rows, n_cols = x.shape
    y, scratch = torch.empty_like(x), torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if y.numel():
        BLOCK_SIZE = min(triton.next_power_of_2(n_cols), 1024)
        three_pass_kernel[(n_rows,)](x, scratch, y, x.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE)
    return y
