"""Uses the first row of keep for every row.

Mistake at: keep = tl.load(keep_ptr + offsets
Code: wrong-values
"""

import torch
import triton
import triton.language as tl


@triton.jit
def dropout_kernel(x_ptr, keep_ptr, out_ptr, x_stride, keep_stride, out_stride, n_cols, p, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n_cols
    x = tl.load(x_ptr + row * x_stride + offsets, mask=mask, other=0.0).to(tl.float32)
    keep = tl.load(keep_ptr + offsets, mask=mask, other=0)
    output = tl.where(keep, x / (1 - p), 0.0)
    tl.store(out_ptr + row * out_stride + offsets, output, mask=mask)


def dropout(x, keep, p):
    n_rows, n_cols = x.shape
    output = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    if output.numel() == 0:
        return output
    BLOCK = 256
    grid = (n_rows, triton.cdiv(n_cols, BLOCK))
    dropout_kernel[grid](x, keep, output, x.stride(0), keep.stride(0), output.stride(0), n_cols, p, BLOCK=BLOCK)
    return output
