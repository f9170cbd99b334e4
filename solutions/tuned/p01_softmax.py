# %% [markdown]
# # 1. Softmax, one row per program: tuned
#
# @STORY@

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
    n_rows,  # rows, at least 1
    n_cols,  # columns, at least 1
    BLOCK_SIZE: tl.constexpr,  # elements of the tile: the power of two at or above n_cols
    ROWS: tl.constexpr,  # rows of a program: one, several where rows are short
    POLICY: tl.constexpr,  # which values the caches give up first
):
    """Write the softmax of rows ROWS * pid to ROWS * pid + ROWS - 1 of x to the same rows of y."""
    first = tl.program_id(0).to(tl.int64) * ROWS  # 64 bits: row * stride can pass 2^31
    cols = tl.arange(0, BLOCK_SIZE)

    # All loads are issued before the first value is used.
    tiles = ()
    for i in tl.static_range(ROWS):
        mask = (cols < n_cols) & (first + i < n_rows)
        x_row_ptr = x_ptr + (first + i) * x_row_stride
        x = tl.load(x_row_ptr + cols, mask=mask, other=-float("inf"), eviction_policy=POLICY)  # reads MN in all
        tiles += (x.to(tl.float32),)

    for i in tl.static_range(ROWS):
        mask = (cols < n_cols) & (first + i < n_rows)
        numerator = tl.exp(tiles[i] - tl.max(tiles[i], axis=0))
        y = numerator * (1.0 / tl.sum(numerator, axis=0))  # one division per row, not one per element
        tl.store(y_ptr + (first + i) * y_row_stride + cols, y, mask=mask, cache_modifier=".cs")  # writes MN in all


# %%
def softmax(x: torch.Tensor) -> torch.Tensor:
    """Launch one program per row, or per 1,024 elements where rows are shorter.

    x: (n_rows, n_cols) float32, float16 or bfloat16, last dimension contiguous
    returns: (n_rows, n_cols), dtype of x
    """
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    ROWS = min(max(1024 // BLOCK_SIZE, 1), 16)
    # Past 32,768 columns the row spills, and the L1 cache is needed for that.
    num_warps = min(max(BLOCK_SIZE // 1024, 1), 32) if BLOCK_SIZE <= 32768 else 16
    POLICY = "evict_last" if BLOCK_SIZE <= 32768 else "evict_first"
    grid = (triton.cdiv(n_rows, ROWS),)
    strides = (x.stride(0), y.stride(0))
    softmax_kernel[grid](
        x, y, *strides, n_rows, n_cols, BLOCK_SIZE=BLOCK_SIZE, ROWS=ROWS, POLICY=POLICY, num_warps=num_warps
    )
    return y
