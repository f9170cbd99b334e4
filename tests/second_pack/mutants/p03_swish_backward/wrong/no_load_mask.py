"""Loads the whole last tile of dy, past the end of the row.

Code: out-of-bounds-load
Device: cpu
"""

import torch
import triton
import triton.language as tl


@triton.jit
def swish_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask).to(tl.float32)
    s = 1 / (1 + tl.exp(-x))
    tl.store(y_ptr + row * y_row_stride + cols, x * s, mask=mask)


@triton.jit
def swish_backward_kernel(
    x_ptr, dy_ptr, dx_ptr, x_row_stride, dy_row_stride, dx_row_stride, n_cols, BLOCK_SIZE: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask).to(tl.float32)
    dy = tl.load(dy_ptr + row * dy_row_stride + cols).to(tl.float32)
    s = 1 / (1 + tl.exp(-x))
    dx = dy * (s + x * s * (1 - s))
    tl.store(dx_ptr + row * dx_row_stride + cols, dx, mask=mask)


class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        n_rows, n_cols = x.shape
        y = torch.empty_like(x)
        ctx.save_for_backward(x)
        if y.numel() == 0:
            return y
        BLOCK_SIZE = min(triton.next_power_of_2(n_cols), 1024)
        grid = (n_rows, triton.cdiv(n_cols, BLOCK_SIZE))
        swish_kernel[grid](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE)
        return y

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        n_rows, n_cols = x.shape
        dx = torch.empty_like(x)
        if dx.numel() == 0:
            return dx
        BLOCK_SIZE = min(triton.next_power_of_2(n_cols), 1024)
        grid = (n_rows, triton.cdiv(n_cols, BLOCK_SIZE))
        strides = x.stride(0), dy.stride(0), dx.stride(0)
        swish_backward_kernel[grid](x, dy, dx, *strides, n_cols, BLOCK_SIZE=BLOCK_SIZE)
        return dx


def swish(x):
    return Swish.apply(x)
