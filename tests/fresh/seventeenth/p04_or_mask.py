# %% [markdown]
# # 4. Tiled softmax: many rows per program
#
# **Why more rows.** Puzzle 3 gives every row a program of its own. That is fine for long rows. But a row of 64 fp32
# values is 256 bytes: each thread of one warp loads two elements, waits for DRAM with nothing else under way, takes
# part in maximum and sum, and the program ends. A million such rows pass through an H200 at 840 GB/s, a fifth of the
# speed of a copy. With 16 rows in one program there are 16 times as many loads under way for one start of a program:
# 4,080 GB/s.
#
# **What is new.** The tile becomes two-dimensional, `(BLOCK_ROWS, BLOCK_COLS)`, built from two ranges by broadcasting.
# As in PyTorch, `[:, None]` adds an axis of size 1, which stretches:
#
#     rows[:, None] * x_row_stride + cols[None, :]        # (BLOCK_ROWS, 1) + (1, BLOCK_COLS)
#
# - The matrix can end inside a tile in both directions, so the mask has two sides, `rows < n_rows` and `cols < n_cols`.
#   Join them with `&`, each in brackets, for `&` binds tighter than `<`. (`and` is for scalars; between tiles Triton
#   still reads it as `&`, with a warning.) Masked columns must hold $-\infty$ as before. A row past the end may compute
#   anything; it is never stored.
# - Reductions, many values to one, run along an axis. `tl.max(x, axis=1)` gives one maximum *per row*, a vector of
#   shape `(BLOCK_ROWS,)`. One maximum for the whole tile works only while the rows are alike: in a row that lies 110
#   below it, every exponential underflows to 0.
# - The state $(m, l)$ of puzzle 3 becomes a pair of vectors, updated elementwise by the same formula, and `m[:, None]`
#   stretches it over the columns. They begin as `tl.full((BLOCK_ROWS,), value, tl.float32)`, or `tl.zeros` for 0. The
#   dtype must be given, and the loop keeps it.
#
# Each program walks along its rows tile by tile, as in puzzle 3: one pass for $(m, l)$, one for the result.
#
# **The grid is yours too.** The host function below launches a single program. Launch as many as the rows need: a
# matrix of 1 row needs one, and 1,823 rows are no multiple of BLOCK_ROWS. Every program must cover at least 2 rows. A
# matrix may need more than the 65,535 programs that CUDA takes on axis 1: use axis 0, which takes $2^{31} - 1$.
#
# **What a row may hold:** any float, as in puzzle 1, $-\infty$ and NaN included: what `torch.softmax` gives is right.
#
# **What you may keep** from puzzle 3: both loops, the update, and where $m$ starts.
#
# **Traffic to reach:** reads $2MN$, writes $MN$, as before. What changes is how many loads are under way at once.
#
# **Limit:** tiles of at most 4,096 elements, `BLOCK_ROWS * BLOCK_COLS`.

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
    n_cols,  # columns, at least 1, often more than BLOCK_COLS
    BLOCK_ROWS: tl.constexpr,  # rows of a tile and of a program, a power of two
    BLOCK_COLS: tl.constexpr,  # columns of a tile, a power of two
):
    """Write the softmax of BLOCK_ROWS rows of x to the same rows of y, in tiles of BLOCK_COLS columns."""
    pid = tl.program_id(0).to(tl.int64)
    rows = pid * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    rows = rows[:, None]

    m = tl.full((BLOCK_ROWS,), -3.4028234663852886e38, tl.float32)
    l = tl.zeros((BLOCK_ROWS,), tl.float32)
    for start in range(0, n_cols, BLOCK_COLS):
        cols = start + tl.arange(0, BLOCK_COLS)[None, :]
        inside = (rows < n_rows) | (cols < n_cols)
        x = tl.load(x_ptr + rows * x_row_stride + cols, mask=inside, other=-float("inf")).to(tl.float32)
        new_m = tl.maximum(m, tl.max(x, axis=1))
        l = tl.exp(m - new_m) * l + tl.sum(tl.exp(x - new_m[:, None]), axis=1)
        m = new_m

    for start in range(0, n_cols, BLOCK_COLS):
        cols = start + tl.arange(0, BLOCK_COLS)[None, :]
        mask = (rows < n_rows) & (cols < n_cols)
        x = tl.load(x_ptr + rows * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
        tl.store(y_ptr + rows * y_row_stride + cols, tl.exp(x - m[:, None]) / l[:, None], mask=mask)


# %%
def softmax(x: torch.Tensor) -> torch.Tensor:
    """Launch one program per BLOCK_ROWS rows.

    x: (n_rows, n_cols) float32, float16 or bfloat16, last dimension contiguous
    returns: (n_rows, n_cols), dtype of x
    """
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_COLS = min(triton.next_power_of_2(n_cols), 2048)
    BLOCK_ROWS = max(1024 // BLOCK_COLS, 2)  # the shorter the rows, the more of them
    num_warps = BLOCK_ROWS * BLOCK_COLS // 256

    grid = (triton.cdiv(n_rows, BLOCK_ROWS),)

    softmax_kernel[grid](
        x,
        y,
        x.stride(0),
        y.stride(0),
        n_rows,
        n_cols,
        BLOCK_ROWS=BLOCK_ROWS,
        BLOCK_COLS=BLOCK_COLS,
        num_warps=num_warps,
    )
    return y
