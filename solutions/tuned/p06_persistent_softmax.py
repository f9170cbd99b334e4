# %% [markdown]
# # 6. Persistent softmax: tuned
#
# An NVIDIA H200, fp32, cold L2, 2^28 elements, Triton 3.9; GB/s, twice the tensor's bytes over the time. The last
# column is the tuned puzzle 3, with one program per row.
#
# | columns | copy | torch.softmax | this file | one program per row |
# |---|---|---|---|---|
# | 4,096 | 4231 | 2589 | 4069 | 4275 |
# | 8,192 | 4228 | 1961 | 4105 | 4250 |
# | 16,384 | 4231 | 3283 | 4027 | 4254 |
# | 32,768 | 4228 | 2669 | 4052 | 4278 |
# | 65,536 | 4231 | 2047 | 3996 | 4071 |
# | 131,072 | 4228 | 2080 | 3691 | 3488 |
# | 262,144 | 4231 | 2093 | 3467 | 2938 |
#
# So a loop over rows is not faster in itself: the GPU hands out rows as well, and starts one while another ends. What
# it is good for comes with work that programs share from row to row.
#
# **Up to 65,536 columns:** the kernel of the tuned puzzle 3 in a loop over rows. The first tiles wait in registers, the
# rest is read a second time, backwards, while it is in the L2 cache. Up to 32,768 columns that is the whole row, and it
# is read once.
#
# **Longer rows, on Hopper, with Triton 3.8 or newer:** `num_ctas` spreads a program over a *cluster* of
# multiprocessors, which see each other's shared memory. The kernel's text stays as it is; a tile is 2 or 4 times as
# wide, and `tl.max` and `tl.sum` run over the cluster. Without clusters 132 programs have 132 rows in work: at 131,072
# columns 67 MB, which the L2 cache does not hold, so that the second read comes from DRAM. With clusters of 2 there are
# half as many rows in work, and more of each waits in registers: what is left, 13 MB, is read from the L2 cache.
# Clusters of 8 and 16 hold the whole row in registers and read it once, but every reduction waits for the slowest of
# their multiprocessors: at best 3378 at 131,072 columns, 3037 at 262,144, with one program per row.
#
# **Kept or on their way.** Registers hold the tiles that are kept and the GROUP that is being loaded, and both count: a
# group must keep enough bytes on their way to hide the time that a load takes. At 131,072 columns, 16 tiles of 2,048
# kept: 2490 with groups of one tile, 2888 of two, 3277 of four, 3650 of eight. 20 tiles and groups of 6 fill the
# registers best.
#
# **How many programs.** `maxnreg` holds a thread to 128 registers, so that programs of 16 warps in all fit on a
# multiprocessor: two of 8 warps, one of 16. Of 32 warps there is one, whose threads have 64 registers at most. The
# multiprocessors of a cluster of 4 lie close together, and some are left over: 33 clusters do not run at once, 30 do.

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
    KEPT_POLICY: tl.constexpr,  # how soon the L2 cache lets go of those tiles
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
            tile = tl.load(x_row_ptr + cols, mask=cols < n_cols, other=-float("inf"), eviction_policy=KEPT_POLICY)
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

    # What was fastest on an H200; `tile` is what one multiprocessor has of a tile.
    clusters = has_clusters(x)
    num_ctas, num_warps, tile, KEPT, GROUP, policy = 1, 32, 4096, 4, 6, "evict_last"
    if width <= 32768:
        num_warps, KEPT = min(max(width // 1024, 1), 8) if width <= 16384 else 16, 8
    elif clusters and width == 131072:
        num_ctas, num_warps, tile, KEPT = 2, 16, 2048, 20
    elif clusters and width > 131072:
        num_ctas, policy = 4, "evict_first"

    BLOCK_SIZE = min(width, tile * num_ctas)
    n_tiles = triton.cdiv(n_cols, BLOCK_SIZE)
    programs = multiprocessors * max(16 // num_warps, 1) // num_ctas
    if num_ctas == 4:
        programs = programs * 10 // 11  # the blocks of a cluster lie close together: not every four are
    grid = (min(n_rows, programs),)
    kept = {"KEPT": min(n_tiles, KEPT), "KEPT_POLICY": policy, "STREAM": n_tiles > KEPT}
    registers = min(65536 // (32 * num_warps), 128)  # of a thread
    options = {"num_ctas": num_ctas, "num_warps": num_warps, "maxnreg": registers}
    softmax_kernel[grid](x, y, *strides, n_rows, n_cols, BLOCK_SIZE=BLOCK_SIZE, GROUP=GROUP, **kept, **options)
    return y
