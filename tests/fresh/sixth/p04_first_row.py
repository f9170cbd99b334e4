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
    pid = tl.program_id(0).to(tl.int64)
    my_rows = pid * BLOCK_COLS + tl.arange(0, BLOCK_ROWS)
    my_cols = tl.arange(0, BLOCK_COLS)
    px = x_ptr + my_rows[:, None] * x_row_stride + my_cols[None, :]
    py = y_ptr + my_rows[:, None] * y_row_stride + my_cols[None, :]
    row_ok = my_rows[:, None] < n_rows
    mm = tl.full((BLOCK_ROWS,), -3.4028234663852886e+38, tl.float32)
    ll = tl.zeros((BLOCK_ROWS,), tl.float32)
    col = 0
    while col < n_cols:
        ok = row_ok & (my_cols[None, :] + col < n_cols)
        blk = tl.load(px + col, mask=ok, other=-float("inf")).to(tl.float32)
        mm_next = tl.maximum(mm, tl.max(blk, 1))
        ll = ll * tl.exp(mm - mm_next) + tl.sum(tl.exp(blk - mm_next[:, None]), 1)
        mm = mm_next
        col += BLOCK_COLS
    col = 0
    while col < n_cols:
        ok = row_ok & (my_cols[None, :] + col < n_cols)
        blk = tl.load(px + col, mask=ok, other=-float("inf")).to(tl.float32)
        tl.store(py + col, tl.exp(blk - mm[:, None]) / ll[:, None], mask=ok)
        col += BLOCK_COLS


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
