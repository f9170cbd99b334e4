"""Ln 2 in place of log2 e: LOG2E: tl.constexpr = 0.6931471805599453"""

import torch
import triton
import triton.language as tl


def reference(x: torch.Tensor) -> torch.Tensor:
    """Return the softmax of every row."""
    return torch.softmax(x, dim=1)


@triton.jit
def exp_from_base2(z):
    LOG2E: tl.constexpr = 0.6931471805599453
    return tl.exp2(z * LOG2E)


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0).to(tl.int64)
    offs = tl.arange(0, BLOCK_SIZE)
    src = x_ptr + pid * x_row_stride + offs
    dst = y_ptr + pid * y_row_stride + offs
    z = tl.load(src, mask=offs < n_cols, other=-float("inf")).to(tl.float32)
    biggest = tl.max(z, axis=0)
    num = exp_from_base2(z - biggest)
    den = tl.sum(num, axis=0)
    tl.store(dst, num / den, mask=offs < n_cols)


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    out = torch.empty_like(x)
    if out.numel() == 0:
        return out
    block = triton.next_power_of_2(n_cols)
    grid = lambda meta: (n_rows,)
    softmax_kernel[grid](x, out, x.stride(0), out.stride(0), n_cols, BLOCK_SIZE=block, num_warps=min(max(block // 512, 1), 16))
    return out
