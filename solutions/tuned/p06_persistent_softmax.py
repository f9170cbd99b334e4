# %% [markdown]
# # 6. Persistent softmax: tuned
#
# An NVIDIA H200, fp32, cold L2, 2^28 elements; GB/s, twice the tensor's bytes over the time. Triton 3.6, which has no
# clusters; the last column is the tuned puzzle 3, with one program per row.
#
# | columns | copy | torch.softmax | this file | one program per row |
# |---|---|---|---|---|
# | 4,096 | 4246 | 2601 | 4093 | 4275 |
# | 8,192 | 4252 | 1969 | 4107 | 4280 |
# | 16,384 | 4241 | 3323 | 4044 | 4280 |
# | 32,768 | 4248 | 2689 | 4057 | 4268 |
# | 65,536 | 4230 | 2039 | 3721 | 4143 |
# | 131,072 | 4210 | 2063 | 3343 | 3554 |
# | 262,144 | 4249 | 2080 | 2919 | 2995 |
#
# So a loop over rows is not faster in itself: the GPU hands out rows as well, and starts one while another ends. What
# it is good for comes with work that programs share from row to row. With clusters a row of 131,072 columns, one
# program per row, went through at 3559 GB/s; in this file they have not been timed.
#
# **Two kernels, by the length of a row.**
#
# - *Up to 65,536 columns*, and wherever there are no clusters: the kernel of the tuned puzzle 3 in a loop over rows.
#   The first 8 tiles of 4,096 elements wait in registers, the rest is read a second time, backwards, while it is in the
#   L2 cache. Up to 32,768 columns that is the whole row, and it is read once.
# - *Longer rows on Hopper, with Triton 3.8 or newer:* `num_ctas` spreads a program over a cluster of multiprocessors,
#   which see each other's shared memory. 8 of them hold 131,072 columns, 16 hold 262,144, and the row is read once. The
#   kernel's text is that of the plain solution: `tl.max` and `tl.sum` run over the cluster.
#
# **How many programs.** `maxnreg` holds a thread to 128 registers, so that programs of 16 warps in all fit on a
# multiprocessor: two of 8 warps, one of 16. Of 32 warps there is one, whose threads have 64 registers at most. The
# blocks of a cluster have 4 warps of up to 255 registers, so that two fit on each of its multiprocessors.

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
    BLOCK_SIZE: tl.constexpr,  # elements of a tile, a power of two
    KEPT: tl.constexpr,  # tiles at the start of a row that stay in registers
    GROUP: tl.constexpr,  # tiles that are loaded together
    STREAM: tl.constexpr,  # whether rows are longer than KEPT tiles
):
    """Write the softmax of every `tl.num_programs(0)`-th row of x to the same row of y, reading most of it once."""
    lanes = tl.arange(0, BLOCK_SIZE)
    for row in range(tl.program_id(0), n_rows, tl.num_programs(0)):
        row = row.to(tl.int64)  # 64 bits: row * stride can pass 2^31
        x_row_ptr = x_ptr + row * x_row_stride
        y_row_ptr = y_ptr + row * y_row_stride

        # Every lane has a maximum and a sum of its own, merged once per row: no loop waits for a reduction.
        m = tl.full((BLOCK_SIZE,), -3.4028234663852886e38, tl.float32)
        l = tl.zeros((BLOCK_SIZE,), tl.float32)

        kept = ()
        for i in tl.static_range(KEPT):
            cols = i * BLOCK_SIZE + lanes
            tile = tl.load(x_row_ptr + cols, mask=cols < n_cols, other=-float("inf"), eviction_policy="evict_last")
            kept += (tile,)  # in the dtype of x: half the registers in fp16
            m = tl.maximum(m, tile.to(tl.float32))

        if STREAM:
            for i in tl.static_range(KEPT):
                l += tl.exp(kept[i].to(tl.float32) - m)
            for start in range(KEPT * BLOCK_SIZE, n_cols, GROUP * BLOCK_SIZE):
                group = ()
                m_new = m
                for i in tl.static_range(GROUP):
                    cols = start + i * BLOCK_SIZE + lanes
                    x = tl.load(x_row_ptr + cols, mask=cols < n_cols, other=-float("inf"), eviction_policy="evict_last")
                    group += (x.to(tl.float32),)
                    m_new = tl.maximum(m_new, group[i])
                l *= tl.exp(m - m_new)
                for i in tl.static_range(GROUP):
                    l += tl.exp(group[i] - m_new)
                m = m_new

        row_m = tl.max(m, axis=0)
        if STREAM:
            l *= tl.exp(m - row_m)
        else:
            for i in tl.static_range(KEPT):
                l += tl.exp(kept[i].to(tl.float32) - row_m)  # the compiler keeps these exponentials for the end
        scale = 1.0 / tl.sum(l, axis=0)

        if STREAM:
            # Backwards: what was read last is still in the L2 cache.
            n_groups = tl.cdiv(n_cols - KEPT * BLOCK_SIZE, GROUP * BLOCK_SIZE)
            for j in range(n_groups):
                start = (KEPT + (n_groups - 1 - j) * GROUP) * BLOCK_SIZE
                group = ()
                for i in tl.static_range(GROUP):
                    cols = start + i * BLOCK_SIZE + lanes
                    x = tl.load(
                        x_row_ptr + cols, mask=cols < n_cols, other=-float("inf"), eviction_policy="evict_first"
                    )
                    group += (x.to(tl.float32),)
                for i in tl.static_range(GROUP):
                    cols = start + i * BLOCK_SIZE + lanes
                    y = tl.exp(group[i] - row_m) * scale
                    tl.store(y_row_ptr + cols, y, mask=cols < n_cols, cache_modifier=".cs")

        for i in tl.static_range(KEPT):
            cols = i * BLOCK_SIZE + lanes
            y = tl.exp(kept[i].to(tl.float32) - row_m) * scale
            tl.store(y_row_ptr + cols, y, mask=cols < n_cols, cache_modifier=".cs")


# %%
@triton.jit
def cluster_kernel(
    x_ptr,  # input, (n_rows, n_cols)
    y_ptr,  # output, (n_rows, n_cols), same dtype
    x_row_stride,  # elements from one row of x to the next, at least n_cols
    y_row_stride,  # elements from one row of y to the next
    n_rows,  # rows, at least 1, often more than programs
    n_cols,  # columns, at least 1
    BLOCK_SIZE: tl.constexpr,  # elements of the tile: the power of two at or above n_cols, on num_ctas multiprocessors
):
    """Write the softmax of every `tl.num_programs(0)`-th row of x to the same row of y."""
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    for row in range(tl.program_id(0), n_rows, tl.num_programs(0)):
        row = row.to(tl.int64)  # 64 bits: row * stride can pass 2^31
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))  # reads MN in all
        numerator = tl.exp(x.to(tl.float32) - tl.max(x.to(tl.float32), axis=0))
        y = numerator * (1.0 / tl.sum(numerator, axis=0))
        tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask, cache_modifier=".cs")  # writes MN in all


# %%
def has_clusters(x: torch.Tensor) -> bool:
    """Return whether a program can lie on several multiprocessors: on Hopper, as of Triton 3.8."""
    version = tuple(int(part) for part in triton.__version__.split(".")[:2])
    return torch.cuda.get_device_capability(x.device)[0] == 9 and version >= (3, 8)


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
    width = triton.next_power_of_2(n_cols)
    strides = (x.stride(0), y.stride(0))
    multiprocessors = torch.cuda.get_device_properties(x.device).multi_processor_count

    if 65536 < width <= 262144 and has_clusters(x):
        num_ctas = width // 16384
        grid = (min(n_rows, 2 * multiprocessors // num_ctas),)
        cluster_kernel[grid](x, y, *strides, n_rows, n_cols, BLOCK_SIZE=width, num_ctas=num_ctas, num_warps=4)
        return y

    BLOCK_SIZE = min(width, 4096)
    n_tiles = triton.cdiv(n_cols, BLOCK_SIZE)
    KEPT = min(n_tiles, 8)
    num_warps = min(max(width // 1024, 1), 8) if width <= 16384 else min(width // 2048, 32)
    grid = (min(n_rows, multiprocessors * max(16 // num_warps, 1)),)
    sizes = {"BLOCK_SIZE": BLOCK_SIZE, "KEPT": KEPT, "GROUP": 4, "STREAM": n_tiles > KEPT}
    registers = min(65536 // (32 * num_warps), 128)  # of a thread
    softmax_kernel[grid](x, y, *strides, n_rows, n_cols, **sizes, num_warps=num_warps, maxnreg=registers)
    return y
