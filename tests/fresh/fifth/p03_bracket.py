"""The factor multiplies the new tile's sum as well: a misplaced bracket."""
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * x_row_stride
    y_ptr += row * y_row_stride
    biggest = -3.4028234663852886e38
    denominator = 0.0
    start = 0
    while start < n_cols:
        cols = start + tl.arange(0, BLOCK_SIZE)
        tile = tl.load(x_ptr + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        before = biggest
        biggest = tl.maximum(before, tl.max(tile, axis=0))
        denominator = (denominator + tl.sum(tl.exp(tile - biggest), axis=0)) * tl.exp(before - biggest)
        start += BLOCK_SIZE

    start = 0
    while start < n_cols:
        cols = start + tl.arange(0, BLOCK_SIZE)
        tile = tl.load(x_ptr + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        tl.store(y_ptr + cols, tl.exp(tile - biggest) / denominator, mask=cols < n_cols)
        start += BLOCK_SIZE


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    size = min(triton.next_power_of_2(n_cols), 2048)
    softmax_kernel[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=size)
    return y
