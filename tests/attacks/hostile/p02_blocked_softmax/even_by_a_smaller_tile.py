"""Leaves the mask out where 1,024 divides a row, as it was for tiles of 1,024; they have grown to 4,096 since.

Must: fail out-of-bounds-load
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr, EVEN: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_row_ptr = x_ptr + row * x_row_stride
    y_row_ptr = y_ptr + row * y_row_stride
    lanes = tl.arange(0, BLOCK_SIZE)
    m = -float("inf")
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + lanes
        if EVEN:
            x = tl.load(x_row_ptr + cols).to(tl.float32)
        else:
            x = tl.load(x_row_ptr + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        m = tl.maximum(m, tl.max(x, axis=0))
    l = 0.0
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + lanes
        if EVEN:
            x = tl.load(x_row_ptr + cols).to(tl.float32)
        else:
            x = tl.load(x_row_ptr + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        l += tl.sum(tl.exp(x - m), axis=0)
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + lanes
        if EVEN:
            x = tl.load(x_row_ptr + cols).to(tl.float32)
            tl.store(y_row_ptr + cols, tl.exp(x - m) / l)
        else:
            x = tl.load(x_row_ptr + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
            tl.store(y_row_ptr + cols, tl.exp(x - m) / l, mask=cols < n_cols)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = min(triton.next_power_of_2(n_cols), 4096)
    softmax_kernel[(n_rows,)](
        x,
        y,
        x.stride(0),
        y.stride(0),
        n_cols,
        BLOCK_SIZE=BLOCK_SIZE,
        EVEN=n_cols % 1024 == 0,
        num_warps=max(BLOCK_SIZE // 256, 1),
    )
    return y
