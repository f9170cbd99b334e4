"""Leaves out `other`: the lanes past the end hold anything, and the sum takes them in.

Code: undefined-lane
Device: cpu
"""

import torch
import triton
import triton.language as tl


@triton.jit
def rms_norm_kernel(x_ptr, y_ptr, scale_ptr, x_row_stride, y_row_stride, n_cols, eps, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask).to(tl.float32)
    mean_square = tl.sum(x * x, axis=0) / n_cols
    scale = 1 / tl.sqrt(mean_square + eps)
    tl.store(scale_ptr + row, scale)
    tl.store(y_ptr + row * y_row_stride + cols, x * scale, mask=mask)


def rms_norm(x, eps):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    scale = torch.empty(n_rows, dtype=torch.float32, device=x.device)
    if n_rows == 0:
        return y, scale
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    rms_norm_kernel[(n_rows,)](x, y, scale, x.stride(0), y.stride(0), n_cols, eps, BLOCK_SIZE=BLOCK_SIZE)
    return y, scale
