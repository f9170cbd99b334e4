"""Moves two pointers on by a number of programs times a stride, which is worked out in 32 bits.

Code: int32-overflow
Device: cpu
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_rows, n_cols, BLOCK_SIZE: tl.constexpr):
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    first = tl.program_id(0).to(tl.int64)
    step = tl.num_programs(0)
    x_ptrs = x_ptr + first * x_row_stride + cols
    y_ptrs = y_ptr + first * y_row_stride + cols
    for _ in range(tl.program_id(0), n_rows, tl.num_programs(0)):
        x = tl.load(x_ptrs, mask=mask, other=-float("inf")).to(tl.float32)
        numerator = tl.exp(x - tl.max(x, axis=0))
        y = numerator / tl.sum(numerator, axis=0)
        tl.store(y_ptrs, y, mask=mask)
        x_ptrs += step * x_row_stride
        y_ptrs += step * y_row_stride


def reference(x):
    return torch.softmax(x, dim=1)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    num_warps = min(max(BLOCK_SIZE // 256, 2), 32)
    multiprocessors = torch.cuda.get_device_properties(x.device).multi_processor_count
    grid = (min(n_rows, multiprocessors * (32 // num_warps)),)

    softmax_kernel[grid](x, y, x.stride(0), y.stride(0), n_rows, n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps)
    return y
