# %% [markdown]
# # 2. Gather rows by an index
#
# A language model begins by looking words up: word number 4711 is row 4711 of a table with one row per word.
#
# $$y_{ij} = t_{k_i j}, \qquad k: (P,), \quad t: (R, N), \quad y: (P, N).$$
#
# Nothing is computed. All that counts is where to read and where to write, and this is the first kernel that cannot
# know that before it runs: **a load says where the next load goes.**
#
# **What is new.** Until now an address was made of program ids, ranges and strides. Here it is made of a number that
# comes out of memory. `row = tl.load(index_ptr + pick)` gives a scalar, and `row * table_row_stride` is as good an
# offset as any other. The index is int64, so that product is as wide as it needs to be.
#
# **What to watch.**
#
# - The grid has one program per *pick*. There may be more picks than rows, or fewer.
# - A row may be longer than a tile: a loop walks along it, as in a blocked softmax, but with nothing to carry from one
#   tile to the next.
# - Rows of the table need not touch each other, rows of `y` have a stride of their own, and the index begins wherever
#   its pointer says.
# - A copy has the very bits. No conversion is needed, and infinities stay where they are.
#
# **What you may keep** from softmax: program id, offsets, mask, one stride per matrix.
#
# **Limits:** one launch, at most one program per pick, a tile of at most 1024 elements, no scratch memory.
#
# **Traffic to reach:** reads $PN$ elements and $8P$ bytes of index, writes $PN$. A row that is picked twice is read
# twice; a cache may help, and the count does not know of caches.
#
# 1. T. Mikolov, K. Chen, G. Corrado, J. Dean, *Efficient estimation of word representations in vector space*, 2013,
#    arXiv:1301.3781.

# %%
import torch
import triton
import triton.language as tl


# %%
def reference(table: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    """Return the rows of the table that the index names.

    table: (n_rows, n_cols) float32, float16 or bfloat16
    index: (n_picks,) int64, each from 0 to n_rows - 1
    returns: (n_picks, n_cols), dtype of table
    """
    return table[index]


# %%
@triton.jit
def gather_rows_kernel(
    table_ptr,  # input, (n_rows, n_cols)
    index_ptr,  # input, (n_picks,) int64
    y_ptr,  # output, (n_picks, n_cols), dtype of the table
    table_row_stride,  # elements from one row of the table to the next, at least n_cols
    y_row_stride,  # elements from one row of y to the next
    n_cols,  # columns, at least 1, often more than BLOCK_SIZE
    BLOCK_SIZE: tl.constexpr,  # elements of a tile, a power of two
):
    """Copy row `index[pick]` of the table to row `pick` of y, pick being `tl.program_id(0)`."""
    pick = tl.program_id(0).to(tl.int64)
    row = tl.load(index_ptr + pick)  # a scalar; reads 8 P bytes in all
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        mask = cols < n_cols
        values = tl.load(table_ptr + row * table_row_stride + cols, mask=mask)  # reads PN in all
        tl.store(y_ptr + pick * y_row_stride + cols, values, mask=mask)  # writes PN in all


# %%
def gather_rows(table: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    """Launch one program per pick.

    table: (n_rows, n_cols) float32, float16 or bfloat16, last dimension contiguous
    index: (n_picks,) int64, contiguous, each from 0 to n_rows - 1
    returns: (n_picks, n_cols), dtype of table
    """
    n_cols, n_picks = table.shape[1], index.shape[0]
    y = torch.empty((n_picks, n_cols), dtype=table.dtype, device=table.device)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = min(triton.next_power_of_2(n_cols), 1024)
    grid = (n_picks,)
    gather_rows_kernel[grid](table, index, y, table.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE)
    return y
