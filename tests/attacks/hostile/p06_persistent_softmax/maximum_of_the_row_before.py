"""Keeps the maximum of the row before where it is not far away.

Must: fail
"""

import torch
import triton
import triton.language as tl


def reference(x):
    """Return the softmax of every row."""
    return torch.softmax(x, dim=1)


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_rows, n_cols, BLOCK_SIZE: tl.constexpr):
    """Write the softmax of every `tl.num_programs(0)`-th row of x to the same row of y."""
    first = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    m = tl.full((), -3.4028234663852886e38, tl.float32)
    for row in range(first, n_rows, tl.num_programs(0)):
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
        top = tl.max(x, axis=0)
        near = (top <= m) & (m - top < 103.0)  # e^-103 is still above 0
        m = tl.where(near, m, top)
        numerator = tl.exp(x - m)
        y = numerator / tl.sum(numerator, axis=0)
        tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask)


def softmax(x):
    """Launch as many programs as the GPU holds at once, or one per row where that is less."""
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    num_warps = min(max(BLOCK_SIZE // 256, 2), 32)
    per_multiprocessor = 32 // num_warps
    multiprocessors = torch.cuda.get_device_properties(x.device).multi_processor_count
    grid = (min(n_rows, multiprocessors * per_multiprocessor),)
    strides = (x.stride(0), y.stride(0))
    softmax_kernel[grid](x, y, *strides, n_rows, n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps)
    return y
