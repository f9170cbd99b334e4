"""Subtracts the row's mean first, as layer norm does.

Mistake at: x = tl.where(mask, x - tl.sum(x, axis=0) / n_cols, 0.0)
Code: wrong-values
"""

import torch
import triton
import triton.language as tl


@triton.jit
def rms_norm_kernel(x_ptr, w_ptr, y_ptr, stride_x, stride_y, n_cols, eps, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0)
    x_ptr += row * stride_x
    y_ptr += row * stride_y
    offs = tl.arange(0, BLOCK_SIZE)
    mask = offs < n_cols
    x = tl.load(x_ptr + offs, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(w_ptr + offs, mask=mask, other=0.0).to(tl.float32)
    x = tl.where(mask, x - tl.sum(x, axis=0) / n_cols, 0.0)
    var = tl.sum(x * x, axis=0) / n_cols
    rstd = 1.0 / tl.sqrt(var + eps)
    y = x * rstd * w
    tl.store(y_ptr + offs, y, mask=mask)


def rms_norm(x, weight, eps):
    n_rows, n_cols = x.shape
    y = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    rms_norm_kernel[(n_rows,)](x, weight, y, x.stride(0), y.stride(0), n_cols, eps, BLOCK_SIZE=BLOCK_SIZE)
    return y
