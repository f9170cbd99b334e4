# %% [markdown]
# # 2. Rotary embedding
#
# Element $j$ of a row and element $j + d/2$ are a pair, and each pair is turned by an angle of its own [1]:
#
# $$y_{i,j} = x_{i,j} c_{ij} - x_{i,j+d/2} s_{ij}, \qquad y_{i,j+d/2} = x_{i,j+d/2} c_{ij} + x_{i,j} s_{ij}.$$
#
# **What to watch.** Both halves are read before either is written. Row $i$ of `cos` and `sin` belongs to row $i$ of
# `x`, and each has a row stride of its own.
#
# **Limits:** one launch, no scratch memory. **Traffic to reach:** reads $2nd$, writes $nd$.
#
# 1. J. Su and others, *RoFormer: enhanced transformer with rotary position embedding*, 2021, arXiv:2104.09864.

# %%
import torch
import triton
import triton.language as tl


# %%
def reference(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """Return x with each pair of elements turned.

    x: (n, d) float32, float16 or bfloat16, d even
    cos, sin: (n, d / 2) same dtype
    returns: (n, d), dtype of x
    """
    first, second = x.chunk(2, dim=1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=1)


# %%
@triton.jit
def rotary_kernel(
    x_ptr,  # input, (n, d)
    cos_ptr,  # input, (n, half)
    sin_ptr,  # input, (n, half)
    y_ptr,  # output, (n, d)
    x_row_stride,  # elements from one row to the next, at least d
    cos_row_stride,
    sin_row_stride,
    y_row_stride,
    half,  # d / 2
    BLOCK_SIZE: tl.constexpr,  # the power of two at or above half
):
    """Turn the pairs of row `tl.program_id(0)` of x and write them to the same row of y."""
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < half
    first = tl.load(x_ptr + row * x_row_stride + cols, mask=mask).to(tl.float32)
    second = tl.load(x_ptr + row * x_row_stride + half + cols, mask=mask).to(tl.float32)
    cos = tl.load(cos_ptr + row * cos_row_stride + cols, mask=mask).to(tl.float32)
    sin = tl.load(sin_ptr + row * sin_row_stride + cols, mask=mask).to(tl.float32)
    tl.store(y_ptr + row * y_row_stride + cols, first * cos - second * sin, mask=mask)
    tl.store(y_ptr + row * y_row_stride + half + cols, second * cos + first * sin, mask=mask)


# %%
def rotary(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """Launch one program per row.

    x: (n, d) float32, float16 or bfloat16, last dimension contiguous, d even
    cos, sin: (n, d / 2) same dtype, last dimension contiguous
    returns: (n, d), dtype of x
    """
    n, d = x.shape
    y = torch.empty((n, d), dtype=x.dtype, device=x.device)
    if y.numel() == 0:
        return y
    strides = (x.stride(0), cos.stride(0), sin.stride(0), y.stride(0))
    rotary_kernel[(n,)](x, cos, sin, y, *strides, d // 2, BLOCK_SIZE=triton.next_power_of_2(d // 2))
    return y
