"""Promises that lengths are multiples of 8, as sizes in a model are, for wider loads.

Code: promise-broken
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _add_fwd(X, Y, OUT, numel, BLOCK: tl.constexpr):
    start = tl.program_id(axis=0).to(tl.int64) * BLOCK
    numel = tl.multiple_of(numel, 8)
    idx = start + tl.arange(0, BLOCK)
    in_range = idx < numel
    a = tl.load(X + idx, mask=in_range)
    b = tl.load(Y + idx, mask=in_range)
    tl.store(OUT + idx, a + b, mask=in_range)


def add(x, y):
    out = torch.empty_like(x)
    numel = out.numel()
    if numel:
        BLOCK = 1024
        _add_fwd[(triton.cdiv(numel, BLOCK),)](x, y, out, numel, BLOCK=BLOCK)
    return out
