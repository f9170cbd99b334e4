"""The factor is inverted: `power(higher - peak)`."""

import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor) -> torch.Tensor:
    """Return the softmax of every row."""
    return torch.softmax(x, dim=1)


LOG2E = tl.constexpr(1.4426950408889634)
LOWEST = tl.constexpr(-3.4028234663852886e38)


@triton.jit
def power(d):
    return tl.exp2(d * LOG2E)


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    """There: the state. And back again, from the last tile to the first: the result."""
    r = tl.program_id(0).to(tl.int64)
    xr = x_ptr + r * x_row_stride
    yr = y_ptr + r * y_row_stride
    lane = tl.arange(0, BLOCK_SIZE)

    peak = tl.full((), LOWEST, tl.float32)
    total = tl.full((), 0.0, tl.float32)
    at = 0
    while at < n_cols:
        v = tl.load(xr + at + lane, mask=at + lane < n_cols, other=-float("inf")).to(tl.float32)
        higher = tl.maximum(peak, tl.max(v, axis=0))
        shrink = power(higher - peak)
        total = total * shrink + tl.sum(power(v - higher), axis=0)
        peak = higher
        at += BLOCK_SIZE

    at -= BLOCK_SIZE
    while at >= 0:
        c = at + lane
        v = tl.load(xr + c, mask=c < n_cols, other=-float("inf")).to(tl.float32)
        tl.store(yr + c, power(v - peak) / total, mask=c < n_cols)
        at -= BLOCK_SIZE


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = min(triton.next_power_of_2(n_cols), 4096)
    softmax_kernel[(n_rows,)](
        x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=max(BLOCK_SIZE // 256, 1)
    )
    return y
