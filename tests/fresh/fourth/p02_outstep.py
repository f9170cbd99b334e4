import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor) -> torch.Tensor:
    """Return the softmax of every row."""
    return torch.softmax(x, dim=1)


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, BLOCK_SIZE)

    best = -float("inf")
    p = x_ptr + pid * x_row_stride + lane
    left = n_cols
    while left > 0:
        t = tl.load(p, mask=lane < left, other=-float("inf")).to(tl.float32)
        best = tl.maximum(best, tl.max(t, axis=0))
        p += BLOCK_SIZE
        left -= BLOCK_SIZE

    total = 0.0
    second = x_ptr + pid * x_row_stride + lane
    left = n_cols
    while left > 0:
        t = tl.load(second, mask=lane < left, other=-float("inf")).to(tl.float32)
        total += tl.sum(tl.exp(t - best), axis=0)
        second += BLOCK_SIZE
        left -= BLOCK_SIZE

    third = x_ptr + pid * x_row_stride + lane
    q = y_ptr + pid * y_row_stride + lane
    left = n_cols
    while left > 0:
        t = tl.load(third, mask=lane < left, other=-float("inf")).to(tl.float32)
        tl.store(q, tl.exp(t - best) / total, mask=lane < left)
        third += BLOCK_SIZE
        q += y_row_stride
        left -= BLOCK_SIZE


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if 0 in (n_rows, n_cols):
        return y
    tile = min(triton.next_power_of_2(n_cols), 2048)
    softmax_kernel[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=tile, num_warps=4)
    return y
