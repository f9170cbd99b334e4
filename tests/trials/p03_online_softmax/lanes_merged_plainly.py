"""The lanes' sums are added without bringing them to one maximum: `row_sum = tl.sum(sm, axis=0)`"""

import torch
import triton
import triton.language as tl


# %%
def reference(x: torch.Tensor) -> torch.Tensor:
    """Return the softmax of every row.

    x: (n_rows, n_cols) float32, float16 or bfloat16
    returns: (n_rows, n_cols), dtype of x
    """
    return torch.softmax(x, dim=1)


# %%
@triton.jit
def softmax_kernel(
    x_ptr,  # input, (n_rows, n_cols)
    y_ptr,  # output, (n_rows, n_cols), same dtype
    x_row_stride,  # elements from one row of x to the next, at least n_cols
    y_row_stride,  # elements from one row of y to the next
    n_cols,  # columns, at least 1, often more than BLOCK_SIZE
    BLOCK_SIZE: tl.constexpr,  # elements of a tile, a power of two
):
    """Write the softmax of row `tl.program_id(0)` of x to the same row of y, reading the row twice."""
    r = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, BLOCK_SIZE)
    x_row = x_ptr + r * x_row_stride
    y_row = y_ptr + r * y_row_stride
    # every lane has a maximum and a sum of its own
    mx = tl.full((BLOCK_SIZE,), -3.4028234663852886e38, tl.float32)
    sm = tl.zeros((BLOCK_SIZE,), tl.float32)
    for pos in range(0, n_cols, BLOCK_SIZE):
        e = tl.load(x_row + pos + lane, mask=pos + lane < n_cols, other=-float("inf")).to(tl.float32)
        new = tl.maximum(mx, e)
        sm = sm * tl.exp(mx - new) + tl.exp(e - new)
        mx = new
    row_max = tl.max(mx, axis=0)
    row_sum = tl.sum(sm, axis=0)
    for pos in range(0, n_cols, BLOCK_SIZE):
        e = tl.load(x_row + pos + lane, mask=pos + lane < n_cols, other=-float("inf")).to(tl.float32)
        tl.store(y_row + pos + lane, tl.exp(e - row_max) / row_sum, mask=pos + lane < n_cols)


# %%
def softmax(x: torch.Tensor) -> torch.Tensor:
    """Launch one program per row.

    x: (n_rows, n_cols) float32, float16 or bfloat16, last dimension contiguous
    returns: (n_rows, n_cols), dtype of x
    """
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = min(triton.next_power_of_2(n_cols), 4096)
    num_warps = max(BLOCK_SIZE // 256, 1)
    grid = (n_rows,)
    softmax_kernel[grid](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps)
    return y
