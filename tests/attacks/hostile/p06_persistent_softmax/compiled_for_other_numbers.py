"""Compiles for strides that 16 divides, and launches what was compiled with others.

Must: error | fail promise-broken
"""

# %%
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
    n_rows,  # rows, at least 1, often more than programs
    n_cols,  # columns, at least 1
    BLOCK_SIZE: tl.constexpr,  # elements of the tile: the power of two at or above n_cols
):
    """Write the softmax of every `tl.num_programs(0)`-th row of x to the same row of y."""
    first = tl.program_id(0).to(tl.int64)  # 64 bits: row * stride passes 2^31 in a matrix of more than 2^31 elements
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols

    for row in range(first, n_rows, tl.num_programs(0)):
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))  # reads MN in all
        x = x.to(tl.float32)
        numerator = tl.exp(x - tl.max(x, axis=0))
        y = numerator / tl.sum(numerator, axis=0)
        tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask)  # writes MN in all


# %%
def softmax(x: torch.Tensor) -> torch.Tensor:
    """Launch as many programs as the GPU holds at once, or one per row where that is less.

    x: (n_rows, n_cols) float32, float16 or bfloat16, last dimension contiguous
    returns: (n_rows, n_cols), dtype of x
    """
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    num_warps = min(max(BLOCK_SIZE // 256, 2), 32)

    # 32 warps with at most 64 registers a thread need no more than 65,536, and no GPU here holds fewer warps.
    per_multiprocessor = 32 // num_warps
    multiprocessors = torch.cuda.get_device_properties(x.device).multi_processor_count
    grid = (min(n_rows, multiprocessors * per_multiprocessor),)

    # Compiled once for every size of tile: any strides and rows do, they are no constants.
    compiled = softmax_kernel.warmup(
        x, y, BLOCK_SIZE, BLOCK_SIZE, 1024, BLOCK_SIZE, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps, grid=(1,)
    )
    compiled[(grid[0], 1, 1)](x, y, x.stride(0), y.stride(0), n_rows, n_cols, BLOCK_SIZE)
    return y
