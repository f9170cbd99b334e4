# %% [markdown]
# # 1. Softmax, one row per program
#
# Softmax turns every row of a matrix into positive weights that sum to one:
#
# $$y_{ij} = \frac{e^{x_{ij} - m_i}}{\sum_k e^{x_{ik} - m_i}}, \qquad m_i = \max_k x_{ik}.$$
#
# **Why the maximum is there.** In exact arithmetic it cancels: numerator and denominator are both divided by
# $e^{m_i}$. In fp32 it does not, because $e^{89}$ is already infinite and infinity over infinity is NaN. After the
# subtraction the largest exponent is 0 and nothing can overflow [1].
#
# **Why one kernel.** As one PyTorch operation after the other, the formula costs five kernels (max, subtract, exp, sum,
# divide), and every intermediate matrix travels to DRAM, the GPU's large memory, and back. With $M$ rows and $N$
# columns they read $5MN + 2M$ elements and write $3MN + 2M$. That travelling takes nearly all of the time. A fused
# kernel loads a row once, does everything on chip, and stores it once.
#
# **What you may keep** from puzzle 0: the launch, offsets of 64 bits, a mask on each load and store. A program has one
# row here: `grid` is `(n_rows,)`, and the lanes of a tile are the row's columns.
#
# **Scalars and tiles.** A program id is a *scalar*, one number; `tl.arange(0, BLOCK_SIZE)` is a *tile*. Arithmetic runs
# in every lane, also with a scalar. `tl.max(x, axis=0)` and `tl.sum(x, axis=0)` make a scalar of a tile. Every lane
# takes part. A lane that the mask switches off holds the `other` of its
# `tl.load(x_ptr + offsets, mask=..., other=...)`, and without `other` it may hold anything.
#
# **What decides whether it is right:**
#
# - A tile's size is a power of two; a row's seldom is. The lanes past the end must change neither the maximum nor the
#   sum. One value does both: $\max(a, -\infty) = a$ and $e^{-\infty} = 0$, so load with `other=-float("inf")`.
# - Rows need not touch in memory: row $i$ of `x` begins at element `i * x_row_stride`, row $i$ of `y` at
#   `i * y_row_stride`, and the two strides may differ.
# - fp16 and bf16 are for storage: `tl.exp` refuses them, and a sum needs more than their 11 or 8 significant bits.
#   Convert what you load, `.to(tl.float32)`; the store casts back.
#
# **`num_warps`.** A warp is 32 threads that run in step, and `num_warps` of them share a tile. `BLOCK_SIZE // 512`
# gives a thread 16 elements: many loads under way at once, and few enough for its registers. It changes speed, not
# results.
#
# **What a row may hold:** any float of its dtype, from far below $-10^9$ up to NaN. The answer is what `torch.softmax`
# gives: $-\infty$ gets weight 0; a row of nothing but $-\infty$, or with one NaN, is all NaN.
#
# **How many rows:** any number. A grid may have $2^{31} - 1$ programs on axis 0, and 65,535 on axes 1 and 2.
#
# **Limit:** a tile has at most `triton.next_power_of_2(n_cols)` elements, or 128 if that is more.
#
# **Traffic to reach:** reads $MN$, writes $MN$. That is the minimum: a good kernel is as fast as a copy.
#
# 1. P. Blanchard, D. J. Higham, N. J. Higham, *Accurately computing the log-sum-exp and softmax functions*, 2021.
# 2. P. Tillet, H. T. Kung, D. Cox, *Triton: an intermediate language and compiler for tiled neural network
#    computations*, 2019.

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
    n_cols,  # columns, at least 1
    BLOCK_SIZE: tl.constexpr,  # elements of the tile: the power of two at or above n_cols
):
    """Write the softmax of row `tl.program_id(0)` of x to the same row of y."""
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK_SIZE)
    x_row = x_ptr + row * x_row_stride
    y_row = y_ptr + row * y_row_stride
    valid = offsets < x_row_stride
    values = tl.load(x_row + offsets, mask=valid, other=-float("inf")).to(tl.float32)
    values = tl.exp(values - tl.max(values, axis=0))
    # what lies past the row's end was -inf and is 0 now
    values = values / tl.sum(values, axis=0)
    tl.store(y_row + offsets, values, mask=offsets < n_cols)


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
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    num_warps = min(max(BLOCK_SIZE // 512, 1), 16)
    grid = (n_rows,)
    softmax_kernel[grid](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps)
    return y
