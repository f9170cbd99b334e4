# %% [markdown]
# # 2. Blocked softmax: rows longer than a tile
#
# **Why one tile is not enough.** A tile lives in registers, the threads' own memory on the chip. A streaming
# multiprocessor, one of the 132 parts of an H200 that run programs, has 256 KiB of them. A row of 131,072 fp32 values
# is 512 KiB: most of it spills to memory and is fetched again. On an H200 the kernel of puzzle 1 runs at the speed of a
# copy up to 32,768 columns; at 131,072 columns it runs at a fifth of that speed. Beyond 1,048,576 elements the compiler
# refuses a tile altogether. A kernel for any row must walk along it in tiles of a fixed size.
#
# **What the walk costs.** The formula fixes an order: no exponential before the maximum of the whole row is known, and
# no division before the whole sum is.
#
# $$m = \max_k x_k \quad\longrightarrow\quad l = \sum_k e^{x_k - m} \quad\longrightarrow\quad
# y_k = \frac{e^{x_k - m}}{l}$$
#
# What one of these three steps has loaded is gone from the registers when the next begins, so the row is loaded three
# times: once for $m$, once for $l$, once for $y$. The exponentials of the second pass are computed anew in the third,
# since storing them would cost more than $e^x$ does.
#
# **What is new.** A loop over tiles, and variables that it carries from one iteration to the next:
#
#     for start in range(0, n_cols, BLOCK_SIZE):
#         cols = start + tl.arange(0, BLOCK_SIZE)
#
# Triton compiles this to a loop on the GPU; `n_cols` may be any number, and the row seldom fills the last tile. A
# variable that the loop carries must keep its type and shape: a scalar stays a scalar, and what begins as the integer 0
# cannot become a float, so write 0.0. `tl.max(x, axis=0)` is the largest value of a tile, `tl.maximum(a, b)` the larger
# of two. `num_warps` gives a thread 8 elements of a tile here.
#
# **What a row may hold:** any float, as in puzzle 1, $-\infty$ and NaN included: what `torch.softmax` gives is right.
#
# **What you may keep** from puzzle 1: one row per program, the mask, `other=-float("inf")`, fp32 inside.
#
# **Traffic to reach:** reads $3MN$, writes $MN$ elements. That is twice the minimum, so a long row can reach half the
# speed of a copy and no more. (Short rows do better: the L2 cache, a fast memory between the multiprocessors and DRAM,
# still holds them in the second and third pass.) Puzzle 3 saves one of the three.
#
# **Limit:** tiles of at most 4,096 elements.

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
    n_cols,  # columns, at least 1, often more than BLOCK_SIZE
    BLOCK_SIZE: tl.constexpr,  # elements of a tile, a power of two
):
    """Write the softmax of row `tl.program_id(0)` of x to the same row of y, tile by tile."""
    row = tl.program_id(0).to(tl.int64)
    x_start = x_ptr + row * x_row_stride
    y_start = y_ptr + row * y_row_stride

    # first: the maximum
    row_max = -float("inf")
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_start + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        row_max = tl.max(x, axis=0)

    # then: the sum
    row_sum = 0.0
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_start + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        row_sum = row_sum + tl.sum(tl.exp(x - row_max), axis=0)

    # last: the result
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        mask = cols < n_cols
        x = tl.load(x_start + cols, mask=mask, other=-float("inf")).to(tl.float32)
        y = tl.exp(x - row_max) / row_sum
        tl.store(y_start + cols, y, mask=mask)


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
    BLOCK_SIZE = min(triton.next_power_of_2(n_cols), 4096)
    num_warps = max(BLOCK_SIZE // 256, 1)
    grid = (n_rows,)
    softmax_kernel[grid](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps)
    return y
