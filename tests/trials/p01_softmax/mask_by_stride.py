"""The mask ends at the row stride of x and not at n_cols: what lies between two rows is taken in, and written."""

import torch
import triton
import triton.language as tl

def reference(x: torch.Tensor) -> torch.Tensor:
    """Return the softmax of every row."""
    return torch.softmax(x, dim=1)


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    """One row."""
    pid = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK_SIZE)
    mask = lanes < x_row_stride
    x_ptrs = x_ptr + pid * x_row_stride + lanes
    y_ptrs = y_ptr + pid * y_row_stride + lanes

    vals = tl.load(x_ptrs, mask=mask, other=-float("inf")).to(tl.float32)
    m = tl.max(vals, axis=0)
    exps = tl.exp(vals - m)
    tl.store(y_ptrs, exps / tl.sum(exps, axis=0), mask=mask)


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    num_warps = min(max(BLOCK_SIZE // 512, 1), 16)
    args = (x, y, x.stride(0), y.stride(0), n_cols)
    softmax_kernel[(n_rows,)](*args, BLOCK_SIZE=BLOCK_SIZE, num_warps=num_warps)
    return y
