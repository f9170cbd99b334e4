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
    first = tl.program_id(0).to(tl.int64) * BLOCK_ROWS
    r = first + tl.arange(0, BLOCK_ROWS)
    c = tl.arange(0, BLOCK_COLS)
    hi = tl.full([BLOCK_ROWS], -3.4028234663852886e+38, tl.float32)
    tot = tl.zeros([BLOCK_ROWS], tl.float32)
    for s in range(0, n_cols, BLOCK_COLS):
        ok = (r < n_rows)[:, None] & (s + c < n_cols)[None, :]
        t = tl.load(x_ptr + r[:, None] * x_row_stride + (s + c)[None, :], mask=ok, other=-float("inf")).to(tl.float32)
        new = tl.maximum(hi, tl.max(t))
        tot = tot * tl.exp(hi - new) + tl.sum(tl.exp(t - new[:, None]), axis=1)
        hi = new
    for s in range(0, n_cols, BLOCK_COLS):
        ok = (r < n_rows)[:, None] & (s + c < n_cols)[None, :]
        t = tl.load(x_ptr + r[:, None] * x_row_stride + (s + c)[None, :], mask=ok, other=-float("inf")).to(tl.float32)
        res = tl.exp(t - hi[:, None]) / tot[:, None]
        tl.store(y_ptr + r[:, None] * y_row_stride + (s + c)[None, :], res, mask=ok)


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
