r"""Turns = cdiv(n_rows, count) for every program, without taking pid off: some write past the last row. Line(s): `for turn in range(tl.cdiv(n_rows, count)):`"""
import torch
import triton
import triton.language as tl


@triton.jit
def normalise(x):
    peak = tl.max(x, axis=0)
    ex = tl.exp(x - peak)
    return ex / tl.sum(ex, axis=0)


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_rows, n_cols, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(0)
    count = tl.num_programs(0)
    cols = tl.arange(0, BLOCK_SIZE)
    for turn in range(tl.cdiv(n_rows, count)):
        row = pid.to(tl.int64) + turn * count
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=float("-inf"))
        tl.store(y_ptr + row * y_row_stride + cols, normalise(x.to(tl.float32)), mask=cols < n_cols)


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    num_warps = min(max(BLOCK_SIZE // 256, 2), 32)
    props = torch.cuda.get_device_properties(x.device)
    grid = (min(n_rows, props.multi_processor_count * (32 // num_warps)),)
    softmax_kernel[grid](x, y, x.stride(0), y.stride(0), n_rows, n_cols, BLOCK_SIZE, num_warps=num_warps)
    return y
