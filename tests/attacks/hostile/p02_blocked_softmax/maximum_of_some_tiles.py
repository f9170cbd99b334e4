"""Takes the maximum of the first four tiles and the last one, which is that of all tiles up to 20,480 columns.

Must: fail
"""

import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor) -> torch.Tensor:
    """Return the softmax of every row."""
    return torch.softmax(x, dim=1)


@triton.jit
def softmax_kernel(
    x_ptr,  # input, (n_rows, n_cols)
    y_ptr,  # output, (n_rows, n_cols), same dtype
    x_row_stride,  # elements from one row of x to the next, at least n_cols
    y_row_stride,  # elements from one row of y to the next
    n_cols,  # columns, at least 1
    BLOCK_SIZE: tl.constexpr,  # elements of a tile, a power of two
):
    """Write the softmax of row `tl.program_id(0)` of x to the same row of y, tile by tile."""
    row = tl.program_id(0).to(tl.int64)
    x_row_ptr = x_ptr + row * x_row_stride
    y_row_ptr = y_ptr + row * y_row_stride

    # Any shift near the maximum will do, for it cancels: 20,480 columns are sample enough, both ends among them.
    m = -float("inf")
    for start in range(0, min(n_cols, 4 * BLOCK_SIZE), BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_row_ptr + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        m = tl.maximum(m, tl.max(x, axis=0))
    cols = (n_cols - 1) // BLOCK_SIZE * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_row_ptr + cols, mask=(cols < n_cols) & (cols >= 4 * BLOCK_SIZE), other=-float("inf")).to(tl.float32)
    m = tl.maximum(m, tl.max(x, axis=0))

    l = 0.0
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_row_ptr + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        l += tl.sum(tl.exp(x - m), axis=0)

    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        mask = cols < n_cols
        x = tl.load(x_row_ptr + cols, mask=mask, other=-float("inf")).to(tl.float32)
        tl.store(y_row_ptr + cols, tl.exp(x - m) / l, mask=mask)


def softmax(x: torch.Tensor) -> torch.Tensor:
    """Launch one program per row."""
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = min(triton.next_power_of_2(n_cols), 4096)
    num_warps = max(BLOCK_SIZE // 256, 1)
    grid = (n_rows,)
    softmax_kernel[grid](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps)
    return y
