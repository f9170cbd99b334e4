"""The program id of axis 1 is always 0 in a grid of one axis: all programs do the first block. The store has no mask.

Mistake at: start = tl.program_id(axis=1).to(tl.int64) * BLOCK
Mistake at: tl.store(out + idx, total)
"""

import torch
import triton
import triton.language as tl


@triton.jit
def vec_add(a, b, out, n, BLOCK: tl.constexpr):
    start = tl.program_id(axis=1).to(tl.int64) * BLOCK
    idx = start + tl.arange(0, BLOCK)
    inside = idx < n
    left = tl.load(a + idx, mask=inside, other=0.0)
    right = tl.load(b + idx, mask=inside, other=0.0)
    total = left + right
    tl.store(out + idx, total)


def add(x, y):
    n = x.numel()
    z = torch.empty_like(x)
    if n == 0:
        return z
    BLOCK = 512
    blocks = triton.cdiv(n, BLOCK)
    vec_add[(blocks,)](x, y, z, n, BLOCK)
    return z
