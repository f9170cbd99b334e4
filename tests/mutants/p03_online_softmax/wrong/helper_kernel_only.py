"""Launches a kernel for maximum and sum, and lets torch write the result.

Code: torch-compute
Killed by: host function check
"""

import torch
import triton
import triton.language as tl


@triton.jit
def state_kernel(x_ptr, m_ptr, l_ptr, x_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    m = -3.4e38
    l = 0.0
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        m_new = tl.maximum(m, tl.max(x, axis=0))
        l = l * tl.exp(m - m_new) + tl.sum(tl.exp(x - m_new), axis=0)
        m = m_new
    tl.store(m_ptr + row, m)
    tl.store(l_ptr + row, l)


def reference(x):
    return torch.softmax(x, dim=1)


def softmax(x):
    n_rows, n_cols = x.shape
    if x.numel() == 0:
        return torch.empty_like(x)
    m = torch.empty(n_rows, 1, dtype=torch.float32, device=x.device)
    l = torch.empty(n_rows, 1, dtype=torch.float32, device=x.device)
    BLOCK_SIZE = min(triton.next_power_of_2(n_cols), 1024)
    state_kernel[(n_rows,)](x, m, l, x.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE)
    return ((x.float() - m).exp() / l).to(x.dtype)
