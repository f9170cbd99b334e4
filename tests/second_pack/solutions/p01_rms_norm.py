# %% [markdown]
# # 1. RMS norm, two outputs
#
# RMS norm divides every row of a matrix by its root mean square:
#
# $$y_{ij} = s_i\, x_{ij}, \qquad s_i = \frac{1}{\sqrt{\frac{1}{N} \sum_k x_{ik}^2 + \epsilon}}.$$
#
# It is layer norm without the mean: nothing is subtracted, and most language models since 2023 are content with it [1].
#
# **Why two outputs.** The backward pass needs $s$ again. Stored, it is one number per row; computed again, it is
# another pass over $x$. So the kernel writes both, `y` in the dtype of `x` and `scale` always in fp32: a factor with 8
# bits of precision would spoil a whole row of gradients.
#
# **Why $\epsilon$.** A row of zeros would be $0 / 0$. It is added to the mean square, *inside* the root. For ordinary
# numbers it is too small to be seen, and in a row of very small ones it is all that counts.
#
# **What to watch.**
#
# - The mean is over the $N$ columns that exist, not over the lanes of the tile.
# - The square of 300 is infinite in fp16: convert to fp32 first.
# - `scale` has one element per row. A scalar is stored without tile and mask: `tl.store(scale_ptr + row, scale)`.
#
# **What you may keep** from softmax: one program per row, a mask, a stride for each matrix.
#
# **Limits:** one launch, at most one program per row, a tile of at most one row, no scratch memory.
#
# **Traffic to reach:** reads $MN$, writes $MN + M$.
#
# 1. B. Zhang, R. Sennrich, *Root mean square layer normalization*, 2019, arXiv:1910.07467.

# %%
import torch
import triton
import triton.language as tl


# %%
def reference(x: torch.Tensor, eps: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Return every row over its root mean square, and the factors.

    x: (n_rows, n_cols) float32, float16 or bfloat16
    returns: y (n_rows, n_cols), dtype of x; scale (n_rows,) float32
    """
    scale = torch.rsqrt(x.float().square().mean(dim=1) + eps)
    return (x * scale[:, None]).to(x.dtype), scale


# %%
@triton.jit
def rms_norm_kernel(
    x_ptr,  # input, (n_rows, n_cols)
    y_ptr,  # output, (n_rows, n_cols), same dtype
    scale_ptr,  # output, (n_rows,) float32
    x_row_stride,  # elements from one row of x to the next, at least n_cols
    y_row_stride,  # elements from one row of y to the next
    n_cols,  # columns, at least 1
    eps,  # added to the mean square
    BLOCK_SIZE: tl.constexpr,  # elements of the tile: the power of two at or above n_cols
):
    """Write row `tl.program_id(0)` of x, normalised, to the same row of y, and its factor to scale."""
    # 64 bits: row * stride passes 2^31 in a matrix of more than 2^31 elements.
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols

    # 0 adds nothing to a sum of squares.
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=0.0).to(tl.float32)  # reads MN in all

    mean_square = tl.sum(x * x, axis=0) / n_cols
    scale = 1 / tl.sqrt(mean_square + eps)

    tl.store(scale_ptr + row, scale)  # writes M in all
    tl.store(y_ptr + row * y_row_stride + cols, x * scale, mask=mask)  # writes MN in all


# %%
def rms_norm(x: torch.Tensor, eps: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Launch one program per row.

    x: (n_rows, n_cols) float32, float16 or bfloat16, last dimension contiguous, at least one column
    eps: added to the mean square
    returns: y (n_rows, n_cols), dtype of x; scale (n_rows,) float32
    """
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    scale = torch.empty(n_rows, dtype=torch.float32, device=x.device)
    if n_rows == 0:
        return y, scale
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    num_warps = min(max(BLOCK_SIZE // 512, 1), 16)
    grid = (n_rows,)
    rms_norm_kernel[grid](
        x, y, scale, x.stride(0), y.stride(0), n_cols, eps, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps
    )
    return y, scale
