"""Describes rows that begin anywhere, if their stride is a multiple of 16 bytes.

Must: error kernel-error
"""

import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor) -> torch.Tensor:
    """Return the softmax of every row."""
    return torch.softmax(x, dim=1)


@triton.jit
def softmax_kernel(
    x_ptr, y_ptr, x_row_stride, y_row_stride, n_rows, n_cols,
    BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr, DESCRIPTOR: tl.constexpr,
):  # fmt: skip
    """Write the softmax of BLOCK_ROWS rows of x to the same rows of y, in tiles of BLOCK_COLS columns."""
    pid = tl.program_id(0).to(tl.int64)
    first = tl.program_id(0) * BLOCK_ROWS
    rows = (pid * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS))[:, None]
    x_row_ptrs = x_ptr + rows * x_row_stride
    y_row_ptrs = y_ptr + rows * y_row_stride
    if DESCRIPTOR:
        x_desc = tl.make_tensor_descriptor(
            x_ptr, shape=[n_rows, n_cols], strides=[x_row_stride, 1], block_shape=[BLOCK_ROWS, BLOCK_COLS]
        )

    m = tl.full((BLOCK_ROWS,), -3.4028234663852886e38, tl.float32)
    l = tl.zeros((BLOCK_ROWS,), tl.float32)
    for start in range(0, n_cols, BLOCK_COLS):
        cols = (start + tl.arange(0, BLOCK_COLS))[None, :]
        mask = (rows < n_rows) & (cols < n_cols)
        if DESCRIPTOR:
            x = tl.where(mask, x_desc.load([first, start]).to(tl.float32), -float("inf"))
        else:
            x = tl.load(x_row_ptrs + cols, mask=mask, other=-float("inf")).to(tl.float32)
        m_new = tl.maximum(m, tl.max(x, axis=1))
        l = l * tl.exp(m - m_new) + tl.sum(tl.exp(x - m_new[:, None]), axis=1)
        m = m_new

    for start in range(0, n_cols, BLOCK_COLS):
        cols = (start + tl.arange(0, BLOCK_COLS))[None, :]
        mask = (rows < n_rows) & (cols < n_cols)
        if DESCRIPTOR:
            x = tl.where(mask, x_desc.load([first, start]).to(tl.float32), -float("inf"))
        else:
            x = tl.load(x_row_ptrs + cols, mask=mask, other=-float("inf")).to(tl.float32)
        tl.store(y_row_ptrs + cols, tl.exp(x - m[:, None]) / l[:, None], mask=mask)


def allocate(size: int, alignment: int, stream):
    return torch.empty(size, device="cuda", dtype=torch.int8)


def softmax(x: torch.Tensor) -> torch.Tensor:
    """Launch one program per BLOCK_ROWS rows."""
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_COLS = min(triton.next_power_of_2(n_cols), 256)
    BLOCK_ROWS = max(1024 // BLOCK_COLS, 2)
    num_warps = max(BLOCK_ROWS * BLOCK_COLS // 256, 1)
    # The tensor memory accelerator wants rows that are multiples of 16 bytes apart.
    width = x.element_size()
    use_descriptor = x.stride(0) * width % 16 == 0 and BLOCK_COLS * width >= 16 and n_rows < 2**31
    if use_descriptor:
        triton.set_allocator(allocate)
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
        DESCRIPTOR=use_descriptor,
        num_warps=num_warps,
    )
    return y
