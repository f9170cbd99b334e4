"""Two: x is scaled by log2 e before the maximum is subtracted and overflows, and the last pass forgets the scaling."""
import torch
import triton
import triton.language as tl


@triton.jit
def load_row(ptr, cols, n):
    return tl.load(ptr + cols, mask=cols < n, other=-float("inf")).to(tl.float32)


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    LOG2E: tl.constexpr = 1.4426950408889634
    row = tl.program_id(0).to(tl.int64)
    xr = x_ptr + row * x_row_stride
    yr = y_ptr + row * y_row_stride
    m = -3.4028234663852886e38
    l = 0.0
    for first in range(0, n_cols, BLOCK_SIZE):
        x = load_row(xr, first + tl.arange(0, BLOCK_SIZE), n_cols)
        mn = tl.maximum(m, tl.max(x, axis=0))
        l = l * tl.exp2((m - mn) * LOG2E) + tl.sum(tl.exp2(x * LOG2E - mn * LOG2E), axis=0)
        m = mn
    for first in range(0, n_cols, BLOCK_SIZE):
        cols = first + tl.arange(0, BLOCK_SIZE)
        x = load_row(xr, cols, n_cols)
        tl.store(yr + cols, tl.exp2(x - m) / l, mask=cols < n_cols)


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = min(triton.next_power_of_2(n_cols), 4096)
    softmax_kernel[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=8)
    return y
