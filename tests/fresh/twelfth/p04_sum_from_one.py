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
    x_ptr,
    y_ptr,
    x_row_stride,
    y_row_stride,
    n_rows,
    n_cols,
    BLOCK_ROWS: tl.constexpr,
    BLOCK_COLS: tl.constexpr,
):
    """Write the softmax of blocks of BLOCK_ROWS rows, every `tl.num_programs(0)`-th block of them."""
    block = tl.program_id(0).to(tl.int64)
    while block * BLOCK_ROWS < n_rows:
        rows = (block * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS))[:, None]
        m_i = tl.full((BLOCK_ROWS,), -3.4028234663852886e38, tl.float32)
        l_i = tl.full((BLOCK_ROWS,), 1.0, tl.float32)

        for start in range(0, n_cols, BLOCK_COLS):
            cols = (start + tl.arange(0, BLOCK_COLS))[None, :]
            mask = (rows < n_rows) & (cols < n_cols)
            x = tl.load(x_ptr + rows * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
            m_ij = tl.maximum(m_i, tl.max(x, axis=1))
            p = tl.exp(x - m_ij[:, None])
            alpha = tl.exp(m_i - m_ij)
            l_i = l_i * alpha + tl.sum(p, axis=1)
            m_i = m_ij

        for start in range(0, n_cols, BLOCK_COLS):
            cols = (start + tl.arange(0, BLOCK_COLS))[None, :]
            mask = (rows < n_rows) & (cols < n_cols)
            x = tl.load(x_ptr + rows * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
            tl.store(y_ptr + rows * y_row_stride + cols, tl.exp(x - m_i[:, None]) / l_i[:, None], mask=mask)

        block += tl.num_programs(0)


# %%
def softmax(x: torch.Tensor) -> torch.Tensor:
    """Launch one program per BLOCK_ROWS rows, but no more than 8192.

    x: (n_rows, n_cols) float32, float16 or bfloat16, last dimension contiguous
    returns: (n_rows, n_cols), dtype of x
    """
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_COLS = min(triton.next_power_of_2(n_cols), 1024)
    BLOCK_ROWS = max(1024 // BLOCK_COLS, 2)
    grid = (min(triton.cdiv(n_rows, BLOCK_ROWS), 8192),)
    softmax_kernel[grid](
        x,
        y,
        x.stride(0),
        y.stride(0),
        n_rows,
        n_cols,
        BLOCK_ROWS=BLOCK_ROWS,
        BLOCK_COLS=BLOCK_COLS,
        num_warps=4,
    )
    return y
