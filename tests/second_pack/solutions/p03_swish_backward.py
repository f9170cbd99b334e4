# %% [markdown]
# # 3. Swish, forwards and back
#
# Swish, also called SiLU, is the activation of most language models [1]:
#
# $$y = x\, s, \qquad s = \frac{1}{1 + e^{-x}}.$$
#
# To train with it, PyTorch needs its derivative too. It does not know how to differentiate a Triton kernel, so you
# write a second one. With $s' = s (1 - s)$ and the product rule,
#
# $$dx = dy\, (s + x\, s\, (1 - s)),$$
#
# where $dy$ is the gradient of the loss with respect to $y$, as it arrives from behind, and $dx$ the one with respect
# to $x$, as it is passed on.
#
# **How the two meet.** A `torch.autograd.Function` has two static methods. `forward` computes $y$ and leaves in `ctx`
# what `backward` will need; `backward` gets $dy$ and returns one gradient for each argument of `forward`. It stands
# below, written already. The grader calls your function, then differentiates what it returns.
#
# **What to keep.** The sigmoid could be saved between the two passes. That is a matrix written and read again, for an
# exponential that costs nothing beside the traffic. Save `x`, which is there anyway, and compute $s$ twice.
#
# **What to watch.**
#
# - `x`, `dy`, `y` and `dx` have a row stride each. A gradient that was broadcast even has a row stride of 0.
# - $e^x / (1 + e^x)$ is the same function and infinity over infinity from $x = 89$ on.
# - fp16 and bf16 are for storage: compute in fp32.
#
# **Limits:** one launch forwards and one back, tiles of at most 1024 elements, no scratch memory.
#
# **Traffic to reach:** forwards reads $MN$, writes $MN$; back reads $2MN$, writes $MN$.
#
# 1. P. Ramachandran, B. Zoph, Q. V. Le, *Searching for activation functions*, 2017, arXiv:1710.05941.

# %%
import torch
import triton
import triton.language as tl


# %%
def reference(x: torch.Tensor) -> torch.Tensor:
    """Return x times its sigmoid; PyTorch knows how to differentiate that.

    x: (n_rows, n_cols) float32, float16 or bfloat16
    returns: (n_rows, n_cols), dtype of x
    """
    return x * torch.sigmoid(x)


# %%
@triton.jit
def swish_kernel(
    x_ptr,  # input, (n_rows, n_cols)
    y_ptr,  # output, (n_rows, n_cols), same dtype
    x_row_stride,  # elements from one row of x to the next
    y_row_stride,
    n_cols,  # columns, at least 1
    BLOCK_SIZE: tl.constexpr,  # elements of a tile, a power of two
):
    """Write swish of tile `tl.program_id(1)` of row `tl.program_id(0)` of x to the same place of y."""
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask).to(tl.float32)  # reads MN in all
    s = 1 / (1 + tl.exp(-x))
    tl.store(y_ptr + row * y_row_stride + cols, x * s, mask=mask)  # writes MN in all


# %%
@triton.jit
def swish_backward_kernel(
    x_ptr,  # input, (n_rows, n_cols)
    dy_ptr,  # gradient of y, (n_rows, n_cols), same dtype
    dx_ptr,  # output, gradient of x, (n_rows, n_cols), same dtype
    x_row_stride,  # elements from one row of x to the next
    dy_row_stride,  # 0 where one row stands for all
    dx_row_stride,
    n_cols,  # columns, at least 1
    BLOCK_SIZE: tl.constexpr,  # elements of a tile, a power of two
):
    """Write the gradient of x for tile `tl.program_id(1)` of row `tl.program_id(0)`."""
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask).to(tl.float32)  # reads MN in all
    dy = tl.load(dy_ptr + row * dy_row_stride + cols, mask=mask).to(tl.float32)  # reads MN in all
    s = 1 / (1 + tl.exp(-x))
    dx = dy * (s + x * s * (1 - s))
    tl.store(dx_ptr + row * dx_row_stride + cols, dx, mask=mask)  # writes MN in all


# %%
class Swish(torch.autograd.Function):
    """Tell PyTorch which kernel runs forwards and which one back."""

    @staticmethod
    def forward(ctx, x):
        """Return swish of x: (n_rows, n_cols)."""
        n_rows, n_cols = x.shape
        y = torch.empty_like(x)
        ctx.save_for_backward(x)
        if y.numel() == 0:
            return y
        BLOCK_SIZE = min(triton.next_power_of_2(n_cols), 1024)
        grid = (n_rows, triton.cdiv(n_cols, BLOCK_SIZE))
        swish_kernel[grid](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE)
        return y

    @staticmethod
    def backward(ctx, dy):
        """Return the gradient of x: (n_rows, n_cols)."""
        (x,) = ctx.saved_tensors
        n_rows, n_cols = x.shape
        dx = torch.empty_like(x)
        if dx.numel() == 0:
            return dx
        BLOCK_SIZE = min(triton.next_power_of_2(n_cols), 1024)
        grid = (n_rows, triton.cdiv(n_cols, BLOCK_SIZE))
        swish_backward_kernel[grid](x, dy, dx, x.stride(0), dy.stride(0), dx.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE)
        return dx


# %%
def swish(x: torch.Tensor) -> torch.Tensor:
    """Return swish of x, differentiable.

    x: (n_rows, n_cols) float32, float16 or bfloat16, last dimension contiguous
    returns: (n_rows, n_cols), dtype of x
    """
    return Swish.apply(x)
