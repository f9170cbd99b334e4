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
def fetch_tile(base, stride, ri, ci, n_rows, n_cols):
    keep = (ri[:, None] < n_rows) & (ci[None, :] < n_cols)
    got = tl.load(base + ri[:, None] * stride + ci[None, :], mask=keep, other=-float("inf"))
    return got.to(tl.float32)


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
    top_row = tl.program_id(0).to(tl.int64) * BLOCK_ROWS
    ri = top_row + tl.arange(0, BLOCK_ROWS)
    m_i = tl.full((BLOCK_ROWS,), -1.0e9, tl.float32)
    l_i = tl.zeros((BLOCK_ROWS,), tl.float32)
    for c0 in range(0, n_cols, BLOCK_COLS):
        tile = fetch_tile(x_ptr, x_row_stride, ri, c0 + tl.arange(0, BLOCK_COLS), n_rows, n_cols)
        m_ij = tl.maximum(m_i, tl.max(tile, axis=1))
        l_i *= tl.exp(m_i - m_ij)
        l_i += tl.sum(tl.exp(tile - m_ij[:, None]), axis=1)
        m_i = m_ij
    for c0 in range(0, n_cols, BLOCK_COLS):
        ci = c0 + tl.arange(0, BLOCK_COLS)
        tile = fetch_tile(x_ptr, x_row_stride, ri, ci, n_rows, n_cols)
        prob = tl.exp(tile - m_i[:, None]) / l_i[:, None]
        keep = (ri[:, None] < n_rows) & (ci[None, :] < n_cols)
        tl.store(y_ptr + ri[:, None] * y_row_stride + ci[None, :], prob, mask=keep)


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
