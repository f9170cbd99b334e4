"""Sums the differences, and not their exponentials: minus infinity where lanes are masked.

Code: exp-missing
Mistake at: denom = tl.sum(
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(
    x_ptr,  # input, (n_rows, n_cols)
    y_ptr,  # output, (n_rows, n_cols), same dtype
    x_row_stride,  # elements from one row of x to the next, at least n_cols
    y_row_stride,  # elements from one row of y to the next
    n_cols,  # columns, at least 1
    BLOCK_SIZE: tl.constexpr,  # elements of the tile: the power of two at or above n_cols
):
    pid = tl.program_id(0).to(tl.int64)
    offs = tl.arange(0, BLOCK_SIZE)
    in_ptrs = x_ptr + pid * x_row_stride + offs
    out_ptrs = y_ptr + pid * y_row_stride + offs
    valid = offs < n_cols
    vals = tl.load(in_ptrs, mask=valid, other=float("-inf"))
    vals = vals.to(tl.float32)
    row_max = tl.max(vals, axis=0)
    vals = vals - row_max
    e = tl.exp(vals)
    denom = tl.sum(vals, axis=0)
    out = e / denom
    tl.store(out_ptrs, out, mask=valid)


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    num_warps = min(max(BLOCK_SIZE // 512, 1), 16)
    grid = (n_rows,)
    softmax_kernel[grid](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps)
    return y
