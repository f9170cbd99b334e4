"""Registers the launch as an operator with a fake implementation, and binds the kernel's arguments as tuples."""

import torch
import triton
import triton.language as tl


@triton.constexpr_function
def lanes_for(width, vector):
    return width if width > vector else vector


@triton.jit
def softmax_rows(inp, out, n_cols, WIDTH: tl.constexpr):
    LANES: tl.constexpr = lanes_for(WIDTH, 4)
    x_ptr, x_stride = inp
    y_ptr, y_stride = out
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, LANES)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=float("-inf"), eviction_policy="evict_first")
    x = x.to(tl.float32)
    p = tl.exp(x - tl.max(x, axis=0))
    y = p / tl.sum(p, axis=0)
    tl.store(y_ptr + row * y_stride + cols, y, mask=mask)


@torch.library.custom_op("practice::softmax_rows", mutates_args=())
def softmax_rows_op(x: torch.Tensor) -> torch.Tensor:
    y = torch.empty_like(x, memory_format=torch.contiguous_format)
    n_rows, n_cols = x.shape
    if y.numel():
        width = triton.next_power_of_2(n_cols)
        softmax_rows[(n_rows,)]((x, x.stride(0)), (y, y.stride(0)), n_cols, width, num_warps=4 if width < 4096 else 16)
    return y


@softmax_rows_op.register_fake
def _(x):
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def softmax(x):
    return torch.ops.practice.softmax_rows(x)
