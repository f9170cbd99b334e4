"""The constant is ln 2 in place of log2 e: `tl.constexpr(0.6931471805599453)`."""

import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor) -> torch.Tensor:
    """Return the softmax of every row."""
    return torch.softmax(x, dim=1)


LOG2E = tl.constexpr(0.6931471805599453)


@triton.jit
def weights_of(v):
    """e to the power of the distance from the largest value, as a power of two."""
    below = v - tl.max(v, axis=0)
    return tl.exp2(below * LOG2E)


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    r = tl.program_id(axis=0).to(tl.int64)
    lane = tl.arange(0, BLOCK_SIZE)
    inside = lane < n_cols
    src = x_ptr + r * x_row_stride + lane
    dst = y_ptr + r * y_row_stride + lane
    v = tl.load(src, mask=inside, other=float("-inf"))
    e = weights_of(v.to(tl.float32))
    inv = 1.0 / tl.sum(e, axis=0)
    tl.store(dst, e * inv, mask=inside)


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    softmax_kernel[(n_rows,)](
        x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=min(max(BLOCK_SIZE // 512, 1), 16)
    )
    return y
