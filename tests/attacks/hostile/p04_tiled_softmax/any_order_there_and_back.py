"""Lets the compiler put the elements of a tile in any order, twice.

Must: fail wrong-values
"""

import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor) -> torch.Tensor:
    """Return the softmax of every row."""
    return torch.softmax(x, dim=1)


@triton.jit
def softmax_kernel(
    x_ptr, y_ptr, x_row_stride, y_row_stride, n_rows, n_cols, BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr
):
    """Write the softmax of BLOCK_ROWS rows of x to the same rows of y; tiles are loaded flat and viewed as matrices."""
    pid = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK_ROWS * BLOCK_COLS)
    rows = pid * BLOCK_ROWS + lanes // BLOCK_COLS
    x_row_ptrs = x_ptr + rows * x_row_stride
    y_row_ptrs = y_ptr + rows * y_row_stride

    m = tl.full((BLOCK_ROWS,), -3.4028234663852886e38, tl.float32)
    l = tl.zeros((BLOCK_ROWS,), tl.float32)
    for start in range(0, n_cols, BLOCK_COLS):
        cols = start + lanes % BLOCK_COLS
        mask = (rows < n_rows) & (cols < n_cols)
        flat = tl.load(x_row_ptrs + cols, mask=mask, other=-float("inf")).to(tl.float32)
        x = tl.reshape(flat, (BLOCK_ROWS, BLOCK_COLS), can_reorder=True)  # as x.view: no data moves
        m_new = tl.maximum(m, tl.max(x, axis=1))
        l = l * tl.exp(m - m_new) + tl.sum(tl.exp(x - m_new[:, None]), axis=1)
        m = m_new

    for start in range(0, n_cols, BLOCK_COLS):
        cols = start + lanes % BLOCK_COLS
        mask = (rows < n_rows) & (cols < n_cols)
        flat = tl.load(x_row_ptrs + cols, mask=mask, other=-float("inf")).to(tl.float32)
        x = tl.reshape(flat, (BLOCK_ROWS, BLOCK_COLS), can_reorder=True)
        y = tl.exp(x - m[:, None]) / l[:, None]
        tl.store(y_row_ptrs + cols, tl.reshape(y, (BLOCK_ROWS * BLOCK_COLS,), can_reorder=True), mask=mask)


def softmax(x: torch.Tensor) -> torch.Tensor:
    """Launch one program per BLOCK_ROWS rows."""
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_COLS = min(triton.next_power_of_2(n_cols), 2048)
    BLOCK_ROWS = max(1024 // BLOCK_COLS, 2)
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
