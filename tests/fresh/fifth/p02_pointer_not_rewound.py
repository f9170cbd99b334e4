"""The pointer into x is not set back to the start of the row before the third pass."""
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, BLOCK_SIZE)

    # max
    p = x_ptr + row * x_row_stride + lane
    left = n_cols
    m = -float("inf")
    while left > 0:
        x = tl.load(p, mask=lane < left, other=-float("inf")).to(tl.float32)
        m = tl.maximum(m, tl.max(x, axis=0))
        p += BLOCK_SIZE
        left -= BLOCK_SIZE

    # sum
    p = x_ptr + row * x_row_stride + lane
    left = n_cols
    l = 0.0
    while left > 0:
        x = tl.load(p, mask=lane < left, other=-float("inf")).to(tl.float32)
        l += tl.sum(tl.exp(x - m), axis=0)
        p += BLOCK_SIZE
        left -= BLOCK_SIZE

    # write
    q = y_ptr + row * y_row_stride + lane
    left = n_cols
    while left > 0:
        x = tl.load(p, mask=lane < left, other=-float("inf")).to(tl.float32)
        tl.store(q, tl.exp(x - m) / l, mask=lane < left)
        p += BLOCK_SIZE
        q += BLOCK_SIZE
        left -= BLOCK_SIZE


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = min(triton.next_power_of_2(n_cols), 2048)
    softmax_kernel[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=8)
    return y
