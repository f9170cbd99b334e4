# %% [markdown]
# # 4. Dropout
#
# What is kept is scaled up, so that the expected value stays the same; the rest is 0:
#
# $$y_{ij} = \frac{x_{ij}}{1 - p} \text{ where } k_{ij} \ne 0, \text{ else } 0.$$
#
# **What to watch.** `p` is the share that is dropped. `x`, `keep` and `y` have a row stride each.
#
# **Limits:** one launch, no scratch memory, tiles of at most 1024 elements.
#
# **Traffic to reach:** reads $MN$ elements and $MN$ bytes, writes $MN$ elements.

# %%
import torch
import triton
import triton.language as tl


# %%
def reference(x: torch.Tensor, keep: torch.Tensor, p: float) -> torch.Tensor:
    """Return x / (1 - p) where keep is not 0, else 0.

    x: (n_rows, n_cols) float32, float16 or bfloat16
    keep: (n_rows, n_cols) uint8
    returns: (n_rows, n_cols), dtype of x
    """
    return torch.where(keep != 0, x / (1 - p), 0)


# %%
@triton.jit
def dropout_kernel(
    x_ptr,  # input, (n_rows, n_cols)
    keep_ptr,  # input, (n_rows, n_cols) uint8
    y_ptr,  # output, (n_rows, n_cols)
    x_row_stride,  # elements from one row to the next, at least n_cols
    keep_row_stride,
    y_row_stride,
    n_cols,
    p,  # the share that is dropped
    BLOCK_SIZE: tl.constexpr,  # columns of a tile, a power of two
):
    """Write tile `tl.program_id(1)` of row `tl.program_id(0)`."""
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask).to(tl.float32)
    keep = tl.load(keep_ptr + row * keep_row_stride + cols, mask=mask)
    y = tl.where(keep != 0, x / (1 - p), 0.0)
    tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask)


# %%
def dropout(x: torch.Tensor, keep: torch.Tensor, p: float) -> torch.Tensor:
    """Launch one program per row and tile.

    x: (n_rows, n_cols) float32, float16 or bfloat16, last dimension contiguous
    keep: (n_rows, n_cols) uint8, last dimension contiguous
    p: the share that is dropped, below 1
    returns: (n_rows, n_cols), dtype of x
    """
    n_rows, n_cols = x.shape
    y = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = 256
    grid = (n_rows, triton.cdiv(n_cols, BLOCK_SIZE))
    dropout_kernel[grid](x, keep, y, x.stride(0), keep.stride(0), y.stride(0), n_cols, p, BLOCK_SIZE=BLOCK_SIZE)
    return y
