"""Adds 0 where a sum in bfloat16 is NaN.

Must: fail nan-hidden
"""

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, z_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    z = tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask)
    if x_ptr.dtype.element_ty == tl.bfloat16:
        z = tl.where(z != z, 0.0, z)
    tl.store(z_ptr + offsets, z, mask=mask)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    z = torch.empty_like(x)
    if z.numel() == 0:
        return z
    add_kernel[(triton.cdiv(z.numel(), 1024),)](x, y, z, z.numel(), BLOCK_SIZE=1024)
    return z
