"""The per-lane sums are never added up: `row_sum = sums`"""

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
    """Write the softmax of row `tl.program_id(0)` of x to the same row of y, tile by tile."""
    pid = tl.program_id(0).to(tl.int64)
    base_in = x_ptr + pid * x_row_stride
    base_out = y_ptr + pid * y_row_stride
    tiles = tl.cdiv(n_cols, BLOCK_SIZE)

    tops = tl.full((BLOCK_SIZE,), -float("inf"), tl.float32)
    for t in range(tiles):
        idx = t * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
        chunk = tl.load(base_in + idx, mask=idx < n_cols, other=-float("inf")).to(tl.float32)
        tops = tl.maximum(tops, chunk)
    row_max = tl.max(tops, axis=0)

    sums = tl.zeros((BLOCK_SIZE,), tl.float32)
    for t in range(tiles):
        idx = t * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
        chunk = tl.load(base_in + idx, mask=idx < n_cols, other=-float("inf")).to(tl.float32)
        sums += tl.exp(chunk - row_max)
    row_sum = sums

    for t in range(tiles):
        idx = t * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
        chunk = tl.load(base_in + idx, mask=idx < n_cols, other=-float("inf")).to(tl.float32)
        tl.store(base_out + idx, tl.exp(chunk - row_max) / row_sum, mask=idx < n_cols)


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
