"""Leaves all masks out where the number of elements is a multiple of a tile's."""

import torch
import triton
import triton.language as tl

LOWEST = tl.constexpr(-3.4028234663852886e38)


def reference(x: torch.Tensor) -> torch.Tensor:
    """Return the softmax of every row."""
    return torch.softmax(x, dim=1)


def only_whole_tiles(args):
    """Return whether the tiles fit the matrix, so that nothing needs a mask."""
    return args["n_rows"] * args["n_cols"] % (args["ROWS"] * args["COLS"]) == 0


@triton.jit
def fetch(ptrs, inside, WHOLE: tl.constexpr):
    """Return a tile in fp32, -inf outside the matrix."""
    if WHOLE:
        x = tl.load(ptrs)
    else:
        x = tl.load(ptrs, mask=inside, other=-float("inf"))
    return x.to(tl.float32)


@triton.heuristics({"WHOLE": only_whole_tiles})
@triton.jit
def softmax_kernel(
    x_ptr,
    y_ptr,
    x_row_stride,
    y_row_stride,
    n_rows,
    n_cols,
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """Write the softmax of ROWS rows of x to the same rows of y."""
    rows = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    x_rows = x_ptr + rows * x_row_stride
    y_rows = y_ptr + rows * y_row_stride
    lanes = tl.arange(0, COLS)[None, :]

    m = tl.full((ROWS, 1), LOWEST, tl.float32)
    l = tl.zeros((ROWS, 1), tl.float32)
    for start in range(0, n_cols, COLS):
        cols = start + lanes
        x = fetch(x_rows + cols, (rows < n_rows) & (cols < n_cols), WHOLE)
        m_new = tl.maximum(m, tl.max(x, axis=1, keep_dims=True))
        l = l * tl.exp(m - m_new) + tl.sum(tl.exp(x - m_new), axis=1, keep_dims=True)
        m = m_new

    for start in range(0, n_cols, COLS):
        cols = start + lanes
        inside = (rows < n_rows) & (cols < n_cols)
        y = tl.exp(fetch(x_rows + cols, inside, WHOLE) - m) / l
        if WHOLE:
            tl.store(y_rows + cols, y)
        else:
            tl.store(y_rows + cols, y, mask=inside)


def softmax(x: torch.Tensor) -> torch.Tensor:
    """Launch one program per ROWS rows.

    x: (n_rows, n_cols) float32, float16 or bfloat16, last dimension contiguous
    returns: (n_rows, n_cols), dtype of x
    """
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    COLS = min(triton.next_power_of_2(n_cols), 1024)
    ROWS = 4096 // COLS
    softmax_kernel[(triton.cdiv(n_rows, ROWS),)](
        x, y, x.stride(0), y.stride(0), n_rows, n_cols, ROWS=ROWS, COLS=COLS, num_warps=8
    )
    return y
