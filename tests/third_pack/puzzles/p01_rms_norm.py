# %% [markdown]
# # 1. RMS norm with a weight
#
# Every row is divided by its root mean square, and every column has a weight of its own:
#
# $$y_{ij} = \frac{x_{ij}}{\sqrt{\frac{1}{N} \sum_k x_{ik}^2 + \epsilon}}\, w_j.$$
#
# **What to watch.** The mean is over the $N$ columns that exist. $\epsilon$ stands inside the root. The square of 300
# is infinite in fp16. The weight is one row, the same for all programs.
#
# **Limits:** one launch, at most one program per row, no scratch memory. A row may be read twice.
#
# **Traffic to reach:** reads $MN$, and $w$ once per program; writes $MN$.

# %%
import torch
import triton
import triton.language as tl


# %%
def reference(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    """Return every row over its root mean square, times the weight.

    x: (n_rows, n_cols) float32, float16 or bfloat16
    weight: (n_cols,) same dtype
    returns: (n_rows, n_cols), dtype of x
    """
    scale = torch.rsqrt(x.float().square().mean(dim=1, keepdim=True) + eps)
    return (x * scale * weight).to(x.dtype)


# %%
@triton.jit
def rms_norm_kernel(
    x_ptr,  # input, (n_rows, n_cols)
    weight_ptr,  # input, (n_cols,) same dtype
    y_ptr,  # output, (n_rows, n_cols), same dtype
    x_row_stride,  # elements from one row of x to the next, at least n_cols
    y_row_stride,  # elements from one row of y to the next
    n_cols,  # columns, at least 1
    eps,  # added to the mean square
    BLOCK_SIZE: tl.constexpr,  # the power of two at or above n_cols
):
    """Write row `tl.program_id(0)` of x, normalised and weighted, to the same row of y."""
    # TODO: load the row, mean of its squares, one over the root, times the weight (about 8 lines)


# %%
def rms_norm(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    """Launch one program per row.

    x: (n_rows, n_cols) float32, float16 or bfloat16, last dimension contiguous
    weight: (n_cols,) same dtype, contiguous
    returns: (n_rows, n_cols), dtype of x
    """
    n_rows, n_cols = x.shape
    y = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    rms_norm_kernel[(n_rows,)](x, weight, y, x.stride(0), y.stride(0), n_cols, eps, BLOCK_SIZE=BLOCK_SIZE)
    return y
