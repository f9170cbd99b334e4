import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, dim=1)


@triton.jit
def _one_row(x_row, y_row, cols, n_cols):
    t = tl.load(x_row + cols, mask=cols < n_cols, other=-float("inf"))
    t = t.to(tl.float32)
    t = tl.exp(t - tl.max(t, axis=0))
    denominator = tl.max(t, axis=0)
    tl.store(y_row + cols, t / denominator, mask=cols < n_cols)


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_rows, n_cols, BLOCK_SIZE: tl.constexpr):
    me = tl.program_id(0)
    all_of_us = tl.num_programs(0)
    cols = tl.arange(0, BLOCK_SIZE)
    turns = tl.cdiv(n_rows - me, all_of_us)
    for turn in range(turns):
        i = me.to(tl.int64) + turn * all_of_us
        _one_row(x_ptr + i * x_row_stride, y_ptr + i * y_row_stride, cols, n_cols)


def _programs(x: torch.Tensor, warps: int) -> int:
    properties = torch.cuda.get_device_properties(x.device)
    return min(x.shape[0], properties.multi_processor_count * max(32 // warps, 1))


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    size = triton.next_power_of_2(n_cols)
    warps = min(max(size // 256, 2), 32)
    softmax_kernel[(_programs(x, warps),)](
        x,
        y,
        x.stride(0),
        y.stride(0),
        n_rows,
        n_cols,
        BLOCK_SIZE=size,
        num_warps=warps,
    )
    return y
