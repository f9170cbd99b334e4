"""Persistent softmax; the host tells the kernel how far apart the rows of a program are."""

import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, dim=1)


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_rows, n_cols, step, BLOCK_SIZE: tl.constexpr):
    lanes = tl.arange(0, BLOCK_SIZE)
    ok = lanes < n_cols
    for r in range(tl.program_id(0).to(tl.int64), n_rows, step):
        row = tl.load(x_ptr + r * x_row_stride + lanes, mask=ok, other=float("-inf")).to(tl.float32)
        row -= tl.max(row, axis=0)
        row = tl.exp(row)
        row /= tl.sum(row, axis=0)
        tl.store(y_ptr + r * y_row_stride + lanes, row, mask=ok)


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    num_warps = min(max(BLOCK_SIZE // 256, 2), 32)
    sms = torch.cuda.get_device_properties(x.device).multi_processor_count
    programs = min(n_rows, sms * (32 // num_warps))
    step = sms
    softmax_kernel[(programs,)](
        x, y, x.stride(0), y.stride(0), n_rows, n_cols, step, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps
    )
    return y
