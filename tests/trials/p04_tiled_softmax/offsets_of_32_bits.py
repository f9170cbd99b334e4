"""Row numbers have 32 bits, and so has row times stride: it wraps around in a matrix of more than 2^31 elements."""

import torch
import triton
import triton.language as tl

def reference(x):
    return torch.softmax(x, dim=1)


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
    pid = tl.program_id(0)
    rows = (pid * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS))[:, None]
    x_rows = x_ptr + rows * x_row_stride
    y_rows = y_ptr + rows * y_row_stride

    m_i = tl.full((BLOCK_ROWS,), -3.4028234663852886e38, tl.float32)
    l_i = tl.zeros((BLOCK_ROWS,), tl.float32)
    for start in range(0, n_cols, BLOCK_COLS):
        cols = (start + tl.arange(0, BLOCK_COLS))[None, :]
        x = tl.load(x_rows + cols, mask=(rows < n_rows) & (cols < n_cols), other=-float("inf")).to(tl.float32)
        m_ij = tl.maximum(m_i, tl.max(x, axis=1))
        p = tl.exp(x - m_ij[:, None])
        l_i = l_i * tl.exp(m_i - m_ij) + tl.sum(p, axis=1)
        m_i = m_ij

    for start in range(0, n_cols, BLOCK_COLS):
        cols = (start + tl.arange(0, BLOCK_COLS))[None, :]
        mask = (rows < n_rows) & (cols < n_cols)
        x = tl.load(x_rows + cols, mask=mask, other=-float("inf")).to(tl.float32)
        tl.store(y_rows + cols, tl.exp(x - m_i[:, None]) / l_i[:, None], mask=mask)


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_COLS = min(triton.next_power_of_2(n_cols), 2048)
    BLOCK_ROWS = max(1024 // BLOCK_COLS, 2)
    num_warps = BLOCK_ROWS * BLOCK_COLS // 256
    grid = (triton.cdiv(n_rows, BLOCK_ROWS),)
    strides = (x.stride(0), y.stride(0))
    softmax_kernel[grid](
        x, y, *strides, n_rows, n_cols, BLOCK_ROWS=BLOCK_ROWS, BLOCK_COLS=BLOCK_COLS, num_warps=num_warps
    )
    return y
