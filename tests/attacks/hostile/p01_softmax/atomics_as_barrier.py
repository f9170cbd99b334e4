"""Two programs share a row and add up their sums atomically, and read them with no barrier in between.

Must: fail order-dependent
"""

import torch
import triton
import triton.language as tl


@triton.jit
def half_kernel(x_ptr, y_ptr, sums_ptr, x_row_stride, y_row_stride, n_cols, half_cols, BLOCK_SIZE: tl.constexpr):
    row, lanes = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK_SIZE)
    cols = tl.program_id(1) * half_cols + lanes
    mask = (lanes < half_cols) & (cols < n_cols)
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    tl.atomic_max(sums_ptr + 2 * row, tl.max(x, axis=0))
    m = tl.load(sums_ptr + 2 * row)
    e = tl.where(mask, tl.exp(x - m), 0.0)
    tl.atomic_add(sums_ptr + 2 * row + 1, tl.sum(e, axis=0))
    l = tl.load(sums_ptr + 2 * row + 1)
    tl.store(y_ptr + row * y_row_stride + cols, e / l, mask=mask)


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
    sums = torch.zeros(2 * n_rows, dtype=torch.float32, device=x.device)
    sums[::2].fill_(-float("inf"))
    half_cols = triton.cdiv(n_cols, 2)
    half_kernel[(n_rows, 2)](x, y, sums, x.stride(0), y.stride(0), n_cols, half_cols, BLOCK_SIZE=BLOCK_SIZE // 2)
    return y
