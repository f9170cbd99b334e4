"""Vector add with a program for 64 elements.

Cause: tiny-tiles
Line: BLOCK_SIZE = 64
"""

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK_SIZE: tl.constexpr):
    idx = tl.program_id(axis=0).to(tl.int64) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    inside = idx < n
    total = tl.load(x_ptr + idx, mask=inside) + tl.load(y_ptr + idx, mask=inside)
    tl.store(out_ptr + idx, total, mask=inside)


def add(x, y):
    out = torch.empty_like(x)
    n = out.numel()
    if n == 0:
        return out
    BLOCK_SIZE = 64
    add_kernel[(triton.cdiv(n, BLOCK_SIZE),)](x, y, out, n, BLOCK_SIZE=BLOCK_SIZE, num_warps=1)
    return out
