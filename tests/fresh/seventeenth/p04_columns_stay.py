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
    row = (pid * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS))[:, None]
    x_row = x_ptr + row * x_row_stride
    y_row = y_ptr + row * y_row_stride
    lanes = tl.arange(0, BLOCK_COLS)

    mx = tl.full((BLOCK_ROWS,), -3.4028234663852886e38, tl.float32)
    sm = tl.zeros((BLOCK_ROWS,), tl.float32)
    for first in range(0, n_cols, BLOCK_COLS):
        col = (first + lanes)[None, :]
        x = tl.load(x_row + col, mask=(row < n_rows) & (col < n_cols), other=-float("inf")).to(tl.float32)
        mx_new = tl.maximum(mx, tl.max(x, axis=1))
        sm = sm * tl.exp(mx - mx_new) + tl.sum(tl.exp(x - mx_new[:, None]), axis=1)
        mx = mx_new

    for begin in range(0, n_cols, BLOCK_COLS):
        col = lanes[None, :]
        ok = (row < n_rows) & (col < n_cols)
        x = tl.load(x_row + col, mask=ok, other=-float("inf")).to(tl.float32)
        tl.store(y_row + col, tl.exp(x - mx[:, None]) / sm[:, None], mask=ok)


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

    grid = (triton.cdiv(n_rows, BLOCK_COLS),)

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
