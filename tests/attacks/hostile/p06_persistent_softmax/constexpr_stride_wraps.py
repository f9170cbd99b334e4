"""Multiplies a loop's number by a row stride that is a constexpr: 32 bits wrap on a GPU.

Must: fail int32-overflow
"""

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
    PROGRAMS: tl.constexpr,
    X_STEP: tl.constexpr,
    n_rows,  # rows, at least 1, often more than programs
    n_cols,  # columns, at least 1
    BLOCK_SIZE: tl.constexpr,  # elements of the tile: the power of two at or above n_cols
):
    """Write the softmax of every `tl.num_programs(0)`-th row of x to the same row of y."""
    first = tl.program_id(0).to(tl.int64)  # 64 bits: row * stride passes 2^31 in a matrix of more than 2^31 elements
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols

    for i in range(0, tl.cdiv(n_rows, PROGRAMS)):
        row = first + i * PROGRAMS
        live = mask & (row < n_rows)
        x = tl.load(x_ptr + first * x_row_stride + i * PROGRAMS * X_STEP + cols, mask=live, other=-float("inf")).to(
            tl.float32
        )
        x = tl.where(row < n_rows, x, 0.0)
        numerator = tl.exp(x - tl.max(x, axis=0))
        y = numerator / tl.sum(numerator, axis=0)
        tl.store(y_ptr + row * y_row_stride + cols, y, mask=live)


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

    strides = (x.stride(0), y.stride(0))
    softmax_kernel[grid](
        x, y, *strides, grid[0], x.stride(0), n_rows, n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps
    )
    return y
