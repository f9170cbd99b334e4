"""The maximum is set up once before the loop and never reset: a row also subtracts the maxima of the program's earlier rows."""

import torch
import triton
import triton.language as tl

def reference(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, dim=1)


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_rows, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    highest = float("-inf")

    while row < n_rows:
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=float("-inf"))
        x = x.to(tl.float32)
        highest = tl.maximum(highest, tl.max(x, axis=0))
        e = tl.exp(x - highest)
        tl.store(y_ptr + row * y_row_stride + cols, e / tl.sum(e, axis=0), mask=mask)
        row += tl.num_programs(0)


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    num_warps = min(max(BLOCK_SIZE // 256, 2), 32)
    n_sm = torch.cuda.get_device_properties(x.device).multi_processor_count
    n_programs = min(n_rows, n_sm * (32 // num_warps))
    softmax_kernel[(n_programs,)](
        x, y, x.stride(0), y.stride(0), n_rows, n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps
    )
    return y
