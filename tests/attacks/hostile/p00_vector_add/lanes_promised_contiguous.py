"""Promises that groups of four lanes lie side by side, of which two are exchanged.

Must: error promise-broken
"""

import torch
import triton
import triton.language as tl


def reference(x, y):
    """Return the sum of two vectors."""
    return x + y


@triton.jit
def add_kernel(x_ptr, y_ptr, z_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    """Write x + y to z."""
    base = tl.program_id(0).to(tl.int64) * BLOCK_SIZE
    lane = tl.arange(0, BLOCK_SIZE)
    lane = (lane // 4) * 4 + (lane % 2) * 2 + (lane // 2) % 2  # 0 2 1 3, 4 6 5 7, ...
    source = tl.max_contiguous(tl.multiple_of(base + lane, 4), 4)
    x = tl.load(x_ptr + source, mask=source < n_elements)
    y = tl.load(y_ptr + source, mask=source < n_elements)
    target = lane + base
    tl.store(z_ptr + target, x + y, mask=target < n_elements)


def add(x, y):
    """Launch one program per BLOCK_SIZE elements."""
    n_elements = x.numel()
    z = torch.empty_like(x)
    if n_elements == 0:
        return z
    BLOCK_SIZE = 1024
    grid = (triton.cdiv(n_elements, BLOCK_SIZE),)
    add_kernel[grid](x, y, z, n_elements, BLOCK_SIZE=BLOCK_SIZE)
    return z
