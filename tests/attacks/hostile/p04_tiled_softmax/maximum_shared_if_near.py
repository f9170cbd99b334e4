"""Subtracts one maximum for two rows that are less than 100 apart: the lower row has few bits left.

Must: fail wrong-values
"""

# %%
import torch
import triton
import triton.language as tl


# %%
def reference(x: torch.Tensor) -> torch.Tensor:
    """Return the softmax of every row."""
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
    pid = tl.program_id(0).to(tl.int64)  # 64 bits: row * stride can pass 2^31
    rows = (pid * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS))[:, None]
    x_row_ptrs = x_ptr + rows * x_row_stride
    y_row_ptrs = y_ptr + rows * y_row_stride

    # One maximum for all rows of a tile saves shuffles, and it is right while the rows are alike: up to a difference of
    # 100 an exponential is above 1e-44 and not 0. Rows that differ more get a maximum each.
    m = tl.full((BLOCK_ROWS,), -3.4028234663852886e38, tl.float32)
    l = tl.zeros((BLOCK_ROWS,), tl.float32)
    for start in range(0, n_cols, BLOCK_COLS):
        cols = (start + tl.arange(0, BLOCK_COLS))[None, :]
        mask = (rows < n_rows) & (cols < n_cols)
        x = tl.load(x_row_ptrs + cols, mask=mask, other=-float("inf")).to(tl.float32)
        own = tl.maximum(m, tl.max(x, axis=1))
        highest = tl.max(own, axis=0)
        m_new = tl.where(highest - own < 100.0, highest, own)
        l = l * tl.exp(m - m_new) + tl.sum(tl.exp(x - m_new[:, None]), axis=1)
        m = m_new

    for start in range(0, n_cols, BLOCK_COLS):
        cols = (start + tl.arange(0, BLOCK_COLS))[None, :]
        mask = (rows < n_rows) & (cols < n_cols)
        x = tl.load(x_row_ptrs + cols, mask=mask, other=-float("inf")).to(tl.float32)
        tl.store(y_row_ptrs + cols, tl.exp(x - m[:, None]) / l[:, None], mask=mask)


# %%
def softmax(x: torch.Tensor) -> torch.Tensor:
    """Launch one program per BLOCK_ROWS rows."""
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_COLS = min(triton.next_power_of_2(n_cols), 2048)
    BLOCK_ROWS = max(1024 // BLOCK_COLS, 2)  # the shorter the rows, the more of them
    num_warps = BLOCK_ROWS * BLOCK_COLS // 256
    grid = (triton.cdiv(n_rows, BLOCK_ROWS),)
    strides = (x.stride(0), y.stride(0))
    blocks = {"BLOCK_ROWS": BLOCK_ROWS, "BLOCK_COLS": BLOCK_COLS}
    softmax_kernel[grid](x, y, *strides, n_rows, n_cols, **blocks, num_warps=num_warps)
    return y
