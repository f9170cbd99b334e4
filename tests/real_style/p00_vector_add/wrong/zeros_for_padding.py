"""Treats a NaN as a gap in the data, and adds 0 in its place.

Code: nan-hidden
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _add_fwd(X, Y, OUT, numel, BLOCK: tl.constexpr):
    start = tl.program_id(axis=0).to(tl.int64) * BLOCK
    idx = start + tl.arange(0, BLOCK)
    in_range = idx < numel
    a = tl.load(X + idx, mask=in_range)
    b = tl.load(Y + idx, mask=in_range)
    a = tl.where(a == a, a, 0.0)
    b = tl.where(b == b, b, 0.0)
    tl.store(OUT + idx, a + b, mask=in_range)


def add(x, y):
    out = torch.empty_like(x)
    numel = out.numel()
    if numel:
        BLOCK = 1024
        _add_fwd[(triton.cdiv(numel, BLOCK),)](x, y, out, numel, BLOCK=BLOCK)
    return out
