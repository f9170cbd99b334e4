"""Reads and writes the first tile in every turn of the last pass.

Code: first-tile-only
Mistake at: idx = tl.arange(
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(
    x_ptr,  # input, (n_rows, n_cols)
    y_ptr,  # output, (n_rows, n_cols), same dtype
    x_row_stride,  # elements from one row of x to the next, at least n_cols
    y_row_stride,  # elements from one row of y to the next
    n_cols,  # columns, at least 1, often more than BLOCK_SIZE
    BLOCK_SIZE: tl.constexpr,  # elements of a tile, a power of two
):
    pid = tl.program_id(0).to(tl.int64)
    offs = tl.arange(0, BLOCK_SIZE)
    in_row = x_ptr + pid * x_row_stride
    out_row = y_ptr + pid * y_row_stride

    row_max = -float("inf")
    for i in range(tl.cdiv(n_cols, BLOCK_SIZE)):
        idx = i * BLOCK_SIZE + offs
        vals = tl.load(in_row + idx, mask=idx < n_cols, other=-float("inf")).to(tl.float32)
        row_max = max(row_max, tl.max(vals, axis=0))

    denom = 0.0
    for i in range(tl.cdiv(n_cols, BLOCK_SIZE)):
        idx = i * BLOCK_SIZE + offs
        vals = tl.load(in_row + idx, mask=idx < n_cols, other=-float("inf")).to(tl.float32)
        denom += tl.sum(tl.exp(vals - row_max), axis=0)

    for _ in range(tl.cdiv(n_cols, BLOCK_SIZE)):
        idx = tl.arange(0, BLOCK_SIZE)
        ok = idx < n_cols
        vals = tl.load(in_row + idx, mask=ok, other=-float("inf")).to(tl.float32)
        out = tl.exp(vals - row_max) / denom
        tl.store(out_row + idx, out, mask=ok)


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = min(triton.next_power_of_2(n_cols), 4096)
    num_warps = max(BLOCK_SIZE // 256, 1)
    grid = (n_rows,)
    softmax_kernel[grid](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps)
    return y
