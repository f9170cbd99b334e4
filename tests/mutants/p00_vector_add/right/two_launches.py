"""Launches once for each half."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, z_ptr, first, end, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64)
    offsets = first + pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < end
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(z_ptr + offsets, x + y, mask=mask)


def reference(x, y):
    return x + y


def add(x, y):
    n_elements = x.numel()
    z = torch.empty_like(x)
    half = n_elements // 2
    for first, end in ((0, half), (half, n_elements)):
        if end > first:
            add_kernel[(triton.cdiv(end - first, 1024),)](x, y, z, first, end, BLOCK_SIZE=1024)
    return z
