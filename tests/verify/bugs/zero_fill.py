"""A matrix set to zero by strides, tile by tile; rows times stride has 32 bits.

Code: int32-overflow
Mistake at: ptrs = x_ptr + rows
Reported: triton-lang/triton#6748
"""

import torch
import triton
import triton.language as tl


@triton.jit
def zero_kernel(x_ptr, n_rows, n_cols, stride_m, stride_n, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    pid = tl.program_id(0)
    num_pid_m = tl.cdiv(n_rows, BLOCK_M)
    rows = (pid % num_pid_m) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = (pid // num_pid_m) * BLOCK_N + tl.arange(0, BLOCK_N)

    ptrs = x_ptr + rows[:, None] * stride_m + cols[None, :] * stride_n
    zeros = tl.zeros((BLOCK_M, BLOCK_N), dtype=x_ptr.dtype.element_ty)
    tl.store(ptrs, zeros, mask=(rows < n_rows)[:, None] & (cols < n_cols)[None, :])


def run(x):
    grid = (triton.cdiv(x.shape[0], 32) * triton.cdiv(x.shape[1], 64),)
    zero_kernel[grid](x, *x.shape, *x.stride(), BLOCK_M=32, BLOCK_N=64)
    return x


def reference(x):
    return x.zero_()


def cases():
    return [dict(x=torch.randn(50, 100))]


OPTIONS = dict(mutates=("x",))
