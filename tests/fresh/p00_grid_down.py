"""The grid is rounded down: nobody writes the last elements where n is not a multiple of BLOCK.

Mistake at: blocks = max(n // BLOCK, 1)
"""

import torch
import triton
import triton.language as tl


@triton.jit
def vec_add(a, b, out, n, BLOCK: tl.constexpr):
    start = tl.program_id(axis=0).to(tl.int64) * BLOCK
    idx = start + tl.arange(0, BLOCK)
    inside = idx < n
    left = tl.load(a + idx, mask=inside, other=0.0)
    right = tl.load(b + idx, mask=inside, other=0.0)
    total = left + right
    tl.store(out + idx, total, mask=inside)


def add(x, y):
    n = x.numel()
    z = torch.empty_like(x)
    if n == 0:
        return z
    BLOCK = 512
    blocks = max(n // BLOCK, 1)
    vec_add[(blocks,)](x, y, z, n, BLOCK)
    return z
