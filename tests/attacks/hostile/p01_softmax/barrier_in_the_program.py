"""Takes a barrier between the warps of a program for one between programs.

Must: fail race-read-write
"""

import torch
import triton
import triton.language as tl


@triton.jit
def half_kernel(
    x_ptr, y_ptr, part_ptr, flags_ptr, x_row_stride, y_row_stride, n_cols, half_cols, BLOCK_SIZE: tl.constexpr
):
    row, half = tl.program_id(0).to(tl.int64), tl.program_id(1)
    lanes = tl.arange(0, BLOCK_SIZE)
    cols = half * half_cols + lanes
    mask = (lanes < half_cols) & (cols < n_cols)
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    m = tl.max(x, axis=0)
    l = tl.sum(tl.exp(x - m), axis=0)
    mine, theirs = part_ptr + 4 * row + 2 * half, part_ptr + 4 * row + 2 * (1 - half)
    tl.store(mine, m)
    tl.store(mine + 1, l)
    tl.debug_barrier()
    other_m, other_l = tl.load(theirs), tl.load(theirs + 1)
    both = tl.maximum(m, other_m)
    l = l * tl.exp(m - both) + other_l * tl.exp(other_m - both)
    tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - both) / l, mask=mask)


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    numerator = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_row_stride + cols, numerator / tl.sum(numerator, axis=0), mask=mask)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    if n_cols < 64:
        softmax_kernel[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE)
        return y
    part = torch.empty(n_rows, 4, dtype=torch.float32, device=x.device)
    flags = torch.zeros(n_rows, dtype=torch.int32, device=x.device)
    strides = x.stride(0), y.stride(0)
    half_kernel[(n_rows, 2)](x, y, part, flags, *strides, n_cols, triton.cdiv(n_cols, 2), BLOCK_SIZE=BLOCK_SIZE // 2)
    return y
