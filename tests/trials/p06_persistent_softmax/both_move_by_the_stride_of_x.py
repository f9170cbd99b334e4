"""The pointer into y moves on by the row stride of x."""

import torch
import triton
import triton.language as tl

def reference(x: torch.Tensor) -> torch.Tensor:
    """Return the softmax of every row."""
    return torch.softmax(x, dim=1)


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_rows, n_cols, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64)
    step = tl.num_programs(0).to(tl.int64)
    lane = tl.arange(0, BLOCK_SIZE)
    ok = lane < n_cols

    src = x_ptr + pid * x_row_stride + lane
    dst = y_ptr + pid * y_row_stride + lane
    left = n_rows - pid
    while left > 0:
        v = tl.load(src, mask=ok, other=float("-inf")).to(tl.float32)
        v = tl.exp(v - tl.max(v, axis=0))
        tl.store(dst, v / tl.sum(v, axis=0), mask=ok)
        src += step * x_row_stride
        dst += step * x_row_stride
        left -= step


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    num_warps = min(max(BLOCK_SIZE // 256, 2), 32)
    props = torch.cuda.get_device_properties(x.device)
    grid = (min(n_rows, props.multi_processor_count * (32 // num_warps)),)
    softmax_kernel[grid](x, y, x.stride(0), y.stride(0), n_rows, n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps)
    return y
