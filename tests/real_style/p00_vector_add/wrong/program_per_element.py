"""Starts as many programs as there are elements, as with CUDA's threads, and each has a tile of 1,024.

Code: needless-programs
"""

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, z_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    inside = i < n_elements
    total = tl.load(x_ptr + i, mask=inside) + tl.load(y_ptr + i, mask=inside)
    tl.store(z_ptr + i, total, mask=inside)


def add(x, y):
    n_elements = x.numel()
    z = torch.empty_like(x)
    if n_elements:
        grid = (n_elements,)
        add_kernel[grid](x, y, z, n_elements, BLOCK_SIZE=1024)
    return z
