"""Vector add; the output is filled with zeros before the kernel overwrites all of it.

Cause: extra-pass
Line: z = torch.zeros_like(x)
"""

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, z_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=0.0)
    tl.store(z_ptr + offsets, x + y, mask=mask)


def add(x, y):
    z = torch.zeros_like(x)
    n_elements = z.numel()
    if n_elements > 0:

        def grid(meta):
            return (triton.cdiv(n_elements, meta["BLOCK_SIZE"]),)

        add_kernel[grid](x, y, z, n_elements, BLOCK_SIZE=1024)
    return z
