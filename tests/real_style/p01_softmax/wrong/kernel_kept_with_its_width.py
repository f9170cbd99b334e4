"""Keeps a warmed kernel for every tile, although the number of columns is compiled into it.

Code: out-of-bounds-store
"""

import torch
import triton
import triton.language as tl

_kernels = {}


@triton.jit
def softmax_kernel(out_ptr, in_ptr, out_stride, in_stride, N_COLS: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK_SIZE)
    mask = offsets < N_COLS
    x = tl.load(in_ptr + row * in_stride + offsets, mask=mask, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * out_stride + offsets, e / tl.sum(e, axis=0), mask=mask)


def softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    block = triton.next_power_of_2(n_cols)
    key = (block, x.dtype)
    if key not in _kernels:
        _kernels[key] = softmax_kernel.warmup(
            y, x, y.stride(0), x.stride(0), N_COLS=n_cols, BLOCK_SIZE=block, num_warps=8, grid=(1,)
        )
    _kernels[key][(n_rows, 1, 1)](y, x, y.stride(0), x.stride(0))
    return y
