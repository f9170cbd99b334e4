"""Shares a row between two programs that wait for each other by a plain load: the compiler deletes the loop.

Must: fail race-read-write endless-loop | error endless-loop
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, s_ptr, flags_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    half, row = tl.program_id(0) % 2, (tl.program_id(0) // 2).to(tl.int64)
    cols = half * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    m = tl.max(x, axis=0)
    l = tl.sum(tl.exp(x - tl.maximum(m, -3e38)), axis=0)
    tl.store(s_ptr + row * 4 + half, m)
    tl.store(s_ptr + row * 4 + half + 2, l)
    tl.atomic_add(flags_ptr + row, 1)
    while tl.load(flags_ptr + row) < 2:
        pass
    other_m = tl.load(s_ptr + row * 4 + 1 - half)
    other_l = tl.load(s_ptr + row * 4 + 3 - half)
    both = tl.maximum(m, other_m)
    l *= tl.exp(tl.maximum(m, -3e38) - tl.maximum(both, -3e38))
    l += other_l * tl.exp(tl.maximum(other_m, -3e38) - tl.maximum(both, -3e38))
    tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - both) / l, mask=mask)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = triton.next_power_of_2(triton.cdiv(n_cols, 2))
    s = torch.empty(n_rows * 4, dtype=torch.float32, device=x.device)
    flags = torch.zeros(n_rows, dtype=torch.int32, device=x.device)
    num_warps = min(max(BLOCK_SIZE // 512, 1), 16)
    strides = x.stride(0), y.stride(0)
    softmax_kernel[(2 * n_rows,)](x, y, s, flags, *strides, n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps)
    return y
