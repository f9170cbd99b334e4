"""Splits the sum over two launches, each of which adds one vector to the output with an atomic operation.

Code: too-many-stores
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _accumulate(X, OUT, numel, BLOCK: tl.constexpr):
    idx = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    keep = idx < numel
    tl.store(OUT + idx, tl.load(OUT + idx, mask=keep) + tl.load(X + idx, mask=keep), mask=keep)


def add(x, y):
    out = torch.zeros_like(x)
    numel = out.numel()
    if numel:
        for term in (x, y):
            _accumulate[(triton.cdiv(numel, 1024),)](term, out, numel, BLOCK=1024)
    return out
