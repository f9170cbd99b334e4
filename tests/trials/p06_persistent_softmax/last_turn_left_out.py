"""The loop asks whether the row after the next step exists: each program leaves out its last row."""

import torch
import triton
import triton.language as tl

def reference(x: torch.Tensor) -> torch.Tensor:
    """Return the softmax of every row."""
    return torch.softmax(x, dim=1)


@triton.jit
def one_row(src, dst, n_cols, BLOCK_SIZE: tl.constexpr):
    c = tl.arange(0, BLOCK_SIZE)
    x = tl.load(src + c, mask=c < n_cols, other=-float("inf")).to(tl.float32)
    num = tl.exp(x - tl.max(x, axis=0))
    tl.store(dst + c, num / tl.sum(num, axis=0), mask=c < n_cols)


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_rows, n_cols, BLOCK_SIZE: tl.constexpr):
    step = tl.num_programs(0)
    row = tl.program_id(0).to(tl.int64)
    while row + step < n_rows:
        one_row(x_ptr + row * x_row_stride, y_ptr + row * y_row_stride, n_cols, BLOCK_SIZE)
        row += step


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    num_warps = min(max(BLOCK_SIZE // 256, 2), 32)
    sms = torch.cuda.get_device_properties(x.device).multi_processor_count
    grid = (min(n_rows, sms * (32 // num_warps)),)
    softmax_kernel[grid](x, y, x.stride(0), y.stride(0), n_rows, n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps)
    return y
