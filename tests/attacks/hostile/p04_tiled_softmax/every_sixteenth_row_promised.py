"""Promises that all rows begin at multiples of 16 elements; only the first row of each sixteen does.

Must: fail
"""

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
    pid = tl.program_id(0).to(tl.int64)  # 64 bits: row * stride can pass 2^31
    starts = tl.multiple_of((pid * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)) * x_row_stride, 16)[:, None]
    rows = (pid * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS))[:, None]  # (BLOCK_ROWS, 1)
    x_row_ptrs = x_ptr + starts
    y_row_ptrs = y_ptr + rows * y_row_stride

    # One state per row. m starts at the lowest finite fp32 value, so that a tile of -inf alone never makes
    # -inf - (-inf) = NaN. Rows past the end load -inf everywhere and end as 0 / 0, which nobody stores.
    m = tl.full((BLOCK_ROWS,), -3.4028234663852886e38, tl.float32)
    l = tl.zeros((BLOCK_ROWS,), tl.float32)
    for start in range(0, n_cols, BLOCK_COLS):
        cols = (start + tl.arange(0, BLOCK_COLS))[None, :]  # (1, BLOCK_COLS)
        mask = (rows < n_rows) & (cols < n_cols)
        x = tl.load(x_row_ptrs + cols, mask=mask, other=-float("inf")).to(tl.float32)  # reads MN
        m_new = tl.maximum(m, tl.max(x, axis=1))
        alpha = tl.exp(m - m_new)  # (BLOCK_ROWS,): every row has its own factor
        l = l * alpha + tl.sum(tl.exp(x - m_new[:, None]), axis=1)
        m = m_new

    for start in range(0, n_cols, BLOCK_COLS):
        cols = (start + tl.arange(0, BLOCK_COLS))[None, :]
        mask = (rows < n_rows) & (cols < n_cols)
        x = tl.load(x_row_ptrs + cols, mask=mask, other=-float("inf")).to(tl.float32)  # reads MN
        tl.store(y_row_ptrs + cols, tl.exp(x - m[:, None]) / l[:, None], mask=mask)  # writes MN


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
    BLOCK_COLS = min(triton.next_power_of_2(n_cols), 256)
    BLOCK_ROWS = 16
    num_warps = 4

    grid = (triton.cdiv(n_rows, BLOCK_ROWS),)  # rounded up: the last program may have rows past the end

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
