# %% [markdown]
# # 6. Persistent softmax: fewer programs than rows
#
# **Fewer programs.** A GPU has tens to hundreds of *multiprocessors*, each with registers, shared memory and room for a
# few programs. In puzzle 1 a matrix of a million rows starts a million programs: what does not fit waits, and whenever
# one ends, another takes its place. A *persistent* kernel starts no more programs than fit at once, and each goes
# through its share of the rows in a loop. What is the same for every row is worked out once.
#
# **Which rows are whose.** With 3 programs, `tl.num_programs(0)`, and 8 rows:
#
#     row       0  1  2  3  4  5  6  7
#     program   0  1  2  0  1  2  0  1
#
# Program `pid` has the rows `pid`, `pid + 3`, `pid + 6`, as far as there are any: a `range` with a start, an end and a
# step. So neighbours work on neighbouring rows, and two programs differ by one row at most. Every iteration is puzzle
# 1, and none needs a result of the one before.
#
# **How many programs fit.** A multiprocessor of the GPUs named here has 65,536 registers. A program takes `num_warps`
# warps of 32 threads, each with as many registers as the compiler gave it; `tritonpuzzles inspect 6` says how many. In
# a host function, `softmax_kernel.warmup(...)` compiles, and its result has `n_regs` and `metadata.shared`. With 8
# warps and 64 registers that is $8 \cdot 32 \cdot 64 = 16,384$: four such programs fit, five do not. There are limits
# on warps too (T4 32, RTX 30 and 40 48, A100 and H100 64), on programs (16 on a T4) and on shared memory, of which this
# kernel needs little. The share of its warps that a multiprocessor holds is the *occupancy*.
#
# The host function below gives a thread 8 elements of a row, and 32 warps at most to a row. That compiles to 20 to 60
# registers up to 16,384 columns, and never to more than 64: on each of these GPUs a multiprocessor then holds as many
# programs as have 32 warps together.
#
# **How many multiprocessors there are** differs, too: 40 on a T4, 108 on an A100, 132 on an H100, 148 on a B200. Ask:
# `torch.cuda.get_device_properties(x.device).multi_processor_count`. A number in your code is right for one GPU only.
#
# **Limit on programs:** at most as many as the GPU holds at once, and at least one for each multiprocessor while there
# are rows for them. Without a GPU the grader compiles the kernel for an A100, in some cases a T4, H100 or B200.
# `torch.cuda` then answers as that GPU would, and the compiled kernel's registers, warps and shared memory say what
# fits.
#
# **What it is good for.** Not speed in itself, where all programs have the same work: on an H200 persistent programs
# were up to 9 % slower at 1,024 columns than one program per row. But matrix products, and attention whose programs
# differ in length, are often written so.
#
# **What you may keep** from puzzle 1: everything inside the loop, masks, $-\infty$, strides, offsets of 64 bits, fp32
# inside, and what a row may hold. One launch; a tile is one row.
#
# **Traffic to reach:** reads $MN$, writes $MN$, as in puzzle 1. A row of more than 32,768 columns, for which the
# registers of a multiprocessor are too few, may be read twice.

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
    n_rows,  # rows, at least 1, often more than programs
    n_cols,  # columns, at least 1
    BLOCK_SIZE: tl.constexpr,  # elements of the tile: the power of two at or above n_cols
):
    """Write the softmax of every `tl.num_programs(0)`-th row of x to the same row of y."""
    pid = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    m = -float("inf")
    for row in range(pid, n_rows, tl.num_programs(0)):
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
        x = x.to(tl.float32)
        m = tl.maximum(m, tl.max(x, axis=0))
        numerator = tl.exp(x - m)
        denominator = tl.sum(numerator, axis=0)
        tl.store(y_ptr + row * y_row_stride + cols, numerator / denominator, mask=mask)


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

    multiprocessors = torch.cuda.get_device_properties(x.device).multi_processor_count
    grid = (min(n_rows, multiprocessors * (32 // num_warps)),)

    strides = (x.stride(0), y.stride(0))
    softmax_kernel[grid](x, y, *strides, n_rows, n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps)
    return y
