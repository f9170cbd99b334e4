"""exp2 gets the difference times ln 2 instead of times log2 e."""
import torch
import triton
import triton.language as tl

FACTOR = tl.constexpr(0.6931471805599453)


@triton.jit
def fast_exp(d):
    # the GPU only knows powers of two
    return tl.exp2(d * FACTOR)


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, TILE: tl.constexpr):
    i = tl.program_id(0).to(tl.int64)
    x_ptr = x_ptr + i * x_row_stride
    y_ptr = y_ptr + i * y_row_stride
    j = tl.arange(0, TILE)
    valid = j < n_cols
    row = tl.load(x_ptr + j, mask=valid, other=0.0).to(tl.float32)
    row = tl.where(valid, row, float("-inf"))
    e = fast_exp(row - tl.max(row, 0))
    tl.store(y_ptr + j, e / tl.sum(e, 0), mask=valid)


def softmax(x: torch.Tensor) -> torch.Tensor:
    rows, cols = x.size()
    y = torch.empty_like(x)
    if rows * cols == 0:
        return y
    tile = triton.next_power_of_2(cols)
    softmax_kernel[(rows,)](x, y, x.stride(0), y.stride(0), cols, TILE=tile, num_warps=min(max(tile // 512, 1), 16))
    return y
