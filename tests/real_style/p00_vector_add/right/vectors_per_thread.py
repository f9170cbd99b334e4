"""Arranges a tile by threads and by what each of them moves at once."""

import torch
import triton
import triton.language as tl

VEC = 4


@triton.jit
def _add_vectorised(X, Y, OUT, numel, THREADS: tl.constexpr, VEC: tl.constexpr):
    base = tl.program_id(0).to(tl.int64) * THREADS * VEC
    idx = base + tl.arange(0, THREADS)[:, None] * VEC + tl.arange(0, VEC)[None, :]
    keep = idx < numel
    tl.store(OUT + idx, tl.load(X + idx, mask=keep) + tl.load(Y + idx, mask=keep), mask=keep)


def add(x, y):
    assert x.shape == y.shape, "shapes differ"
    assert x.dtype == y.dtype, "dtypes differ"
    x, y = x.contiguous(), y.contiguous()
    out = torch.empty_like(x)
    if out.numel():
        grid = (triton.cdiv(out.numel(), 256 * VEC),)
        _add_vectorised[grid](x, y, out, out.numel(), THREADS=256, VEC=VEC, num_warps=8)
    return out
