"""Returns the memory of an earlier result again, as long as somebody holds that result.

Must: fail foreign-tensor
"""

import weakref

import torch
import triton
import triton.language as tl

LIVE = weakref.WeakValueDictionary()  # output by shape, dtype and device; an entry goes when its tensor goes


def reference(x: torch.Tensor) -> torch.Tensor:
    """Return the softmax of every row."""
    return torch.softmax(x, dim=1)


@triton.jit
def softmax_kernel(
    x_ptr,  # input, (n_rows, n_cols)
    y_ptr,  # output, (n_rows, n_cols), same dtype
    x_row_stride,  # elements from one row of x to the next, at least n_cols
    y_row_stride,  # elements from one row of y to the next
    n_cols,  # columns, at least 1
    BLOCK_SIZE: tl.constexpr,  # elements of a tile, a power of two
):
    """Write the softmax of row `tl.program_id(0)` of x to the same row of y."""
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    numerator = tl.exp(x - tl.max(x, axis=0))
    y = numerator / tl.sum(numerator, axis=0)
    tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask)


def softmax(x: torch.Tensor) -> torch.Tensor:
    """Launch one program per row."""
    n_rows, n_cols = x.shape
    key = (n_rows, n_cols, x.dtype, x.device)
    y = LIVE.get(key)
    if y is None:
        y = torch.empty_like(x)
        LIVE[key] = y
    if y.numel() == 0:
        return y
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    num_warps = min(max(BLOCK_SIZE // 512, 1), 16)
    grid = (n_rows,)
    softmax_kernel[grid](x, y, x.stride(0), y.stride(0), n_cols, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps)
    return y
