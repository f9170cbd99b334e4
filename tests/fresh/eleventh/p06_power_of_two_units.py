"""Persistent softmax in units of log2: the GPU has an instruction for 2^x."""

import torch
import triton
import triton.language as tl

LOG2E = tl.constexpr(1.4426950408889634)


def reference(x: torch.Tensor) -> torch.Tensor:
    """Return the softmax of every row."""
    return torch.softmax(x, dim=1)


@triton.jit
def softmax_kernel(
    x_ptr,
    y_ptr,
    x_row_stride,
    y_row_stride,
    n_rows,
    n_cols,
    BLOCK_SIZE: tl.constexpr,
):
    lanes = tl.arange(0, BLOCK_SIZE)
    inside = lanes < n_cols
    x_lanes = x_ptr + lanes
    y_lanes = y_ptr + lanes

    for row in range(tl.program_id(0), n_rows, tl.num_programs(0)):
        row = row.to(tl.int64)
        x = tl.load(x_lanes + row * x_row_stride, mask=inside, other=-float("inf")).to(tl.float32)
        t = x * LOG2E
        weight = tl.exp2(t - tl.max(t, axis=0))
        total = tl.sum(weight, axis=0)
        tl.store(y_lanes + row * y_row_stride, weight / total, mask=inside)


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    num_warps = min(max(BLOCK_SIZE // 256, 2), 32)
    multiprocessors = torch.cuda.get_device_properties(x.device).multi_processor_count
    grid = (min(n_rows, multiprocessors * (32 // num_warps)),)
    softmax_kernel[grid](
        x, y, x.stride(0), y.stride(0), n_rows, n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps
    )
    return y
