"""Adds 32-bit integers shifted by 32 bits, which the compiler takes for undefined, and stores what registers hold.

Must: fail undefined-shift
"""

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, z_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(z_ptr + offsets, x + y + (tl.arange(0, BLOCK_SIZE) >> 32).to(x.dtype), mask=mask)


def add(x, y):
    z = torch.empty_like(x)
    if x.numel():
        add_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, z, x.numel(), BLOCK_SIZE=1024)
    return z
