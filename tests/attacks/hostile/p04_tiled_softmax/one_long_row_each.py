"""Gives a program one row alone, from 65,536 columns on.

Must: fail too-many-programs | error too-many-programs
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
    BLOCK_ROWS: tl.constexpr,  # rows of a tile, a power of two
    STEPS: tl.constexpr,  # tiles of rows that a program takes one after the other
    BLOCK_COLS: tl.constexpr,  # columns of a tile, a power of two
):
    """Write the softmax of BLOCK_ROWS rows of x to the same rows of y, in tiles of BLOCK_COLS columns."""
    for step in range(STEPS):
        rows = ((tl.program_id(0).to(tl.int64) * STEPS + step) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS))[:, None]
        x_row_ptrs = x_ptr + rows * x_row_stride
        y_row_ptrs = y_ptr + rows * y_row_stride

        m = tl.full((BLOCK_ROWS,), -3.4028234663852886e38, tl.float32)
        l = tl.zeros((BLOCK_ROWS,), tl.float32)
        for start in range(0, n_cols, BLOCK_COLS):
            cols = (start + tl.arange(0, BLOCK_COLS))[None, :]
            mask = (rows < n_rows) & (cols < n_cols)
            x = tl.load(x_row_ptrs + cols, mask=mask, other=-float("inf")).to(tl.float32)
            m_new = tl.maximum(m, tl.max(x, axis=1))
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
    if n_cols <= 49152:
        BLOCK_ROWS, STEPS = max(1024 // BLOCK_COLS, 2), 1  # the shorter the rows, the more of them
    else:  # side by side two long rows would drive each other out of the L2 cache
        BLOCK_ROWS, STEPS = 1, max(2 - n_cols // 65536, 1)
    num_warps = BLOCK_ROWS * BLOCK_COLS // 256
    grid = (triton.cdiv(n_rows, STEPS * BLOCK_ROWS),)
    strides = (x.stride(0), y.stride(0))
    blocks = {"BLOCK_ROWS": BLOCK_ROWS, "BLOCK_COLS": BLOCK_COLS, "STEPS": STEPS}
    softmax_kernel[grid](x, y, *strides, n_rows, n_cols, **blocks, num_warps=num_warps)
    return y
