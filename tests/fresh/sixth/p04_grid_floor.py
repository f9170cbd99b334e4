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
    rr = (tl.program_id(0).to(tl.int64) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)).expand_dims(1)
    x_line = x_ptr + rr * x_row_stride
    y_line = y_ptr + rr * y_row_stride
    mx = tl.full((BLOCK_ROWS, 1), -3.4028234663852886e+38, tl.float32)
    sm = tl.zeros((BLOCK_ROWS, 1), tl.float32)
    for k in range(tl.cdiv(n_cols, BLOCK_COLS)):
        cc = (k * BLOCK_COLS + tl.arange(0, BLOCK_COLS)).expand_dims(0)
        inside = (rr < n_rows) & (cc < n_cols)
        u = tl.load(x_line + cc, mask=inside, other=-float("inf")).to(tl.float32)
        mx2 = tl.maximum(mx, tl.max(u, axis=1, keep_dims=True))
        sm = sm * tl.exp(mx - mx2) + tl.sum(tl.exp(u - mx2), axis=1, keep_dims=True)
        mx = mx2
    for k in range(tl.cdiv(n_cols, BLOCK_COLS)):
        cc = (k * BLOCK_COLS + tl.arange(0, BLOCK_COLS)).expand_dims(0)
        inside = (rr < n_rows) & (cc < n_cols)
        u = tl.load(x_line + cc, mask=inside, other=-float("inf")).to(tl.float32)
        tl.store(y_line + cc, tl.exp(u - mx) / sm, mask=inside)


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

    grid = (max(n_rows // BLOCK_ROWS, 1),)

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
