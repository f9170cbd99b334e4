"""Normalises the columns instead of the rows.

Code: wrong-shape
"""

import torch
import triton
import triton.language as tl


@triton.jit
def rms_norm_kernel(x_ptr, y_ptr, scale_ptr, x_row_stride, y_row_stride, n_rows, eps, BLOCK_SIZE: tl.constexpr):
    col = tl.program_id(0)
    rows = tl.arange(0, BLOCK_SIZE).to(tl.int64)
    mask = rows < n_rows
    x = tl.load(x_ptr + rows * x_row_stride + col, mask=mask, other=0.0).to(tl.float32)
    scale = 1 / tl.sqrt(tl.sum(x * x, axis=0) / n_rows + eps)
    tl.store(scale_ptr + col, scale)
    tl.store(y_ptr + rows * y_row_stride + col, x * scale, mask=mask)


def rms_norm(x, eps):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    scale = torch.empty(n_cols, dtype=torch.float32, device=x.device)
    if n_rows == 0:
        return y, scale
    BLOCK_SIZE = triton.next_power_of_2(n_rows)
    rms_norm_kernel[(n_cols,)](x, y, scale, x.stride(0), y.stride(0), n_rows, eps, BLOCK_SIZE=BLOCK_SIZE)
    return y, scale
