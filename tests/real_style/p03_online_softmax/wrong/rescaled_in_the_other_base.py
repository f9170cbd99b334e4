"""Forgets log2(e) where the old sum is rescaled, and has it where the terms are computed.

Code: wrong-values
Mistake at: l = l * tl.exp2(m - shift)
"""

from functools import partial

import torch
import triton
import triton.language as tl

LOG2E = tl.constexpr(1.4426950408889634)


@triton.jit
def _advance(m, l, x):
    m_new = tl.maximum(m, tl.max(x, axis=0))
    # Powers of two of differences: a scaled maximum is not exact.
    shift = tl.where(m_new == -float("inf"), 0.0, m_new)
    l = l * tl.exp2(m - shift) + tl.sum(tl.exp2((x - shift) * LOG2E), axis=0)
    return m_new, l


@triton.jit
def online_long(y, x, ys, xs, n, TILE: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    x += r * xs
    y += r * ys
    o = tl.arange(0, TILE)
    m = -float("inf")
    l = 0.0
    whole = (n // TILE) * TILE
    for s in tl.range(0, whole, TILE, num_stages=2):
        m, l = _advance(m, l, tl.load(x + s + o).to(tl.float32))
    if whole < n:
        t = tl.load(x + whole + o, mask=whole + o < n, other=-float("inf")).to(tl.float32)
        m, l = _advance(m, l, t)
    for s in tl.range(0, whole, TILE, num_stages=2):
        v = tl.load(x + s + o).to(tl.float32)
        tl.store(y + s + o, tl.exp2((v - m) * LOG2E) / l)
    if whole < n:
        v = tl.load(x + whole + o, mask=whole + o < n, other=-float("inf")).to(tl.float32)
        tl.store(y + whole + o, tl.exp2((v - m) * LOG2E) / l, mask=whole + o < n)


@triton.jit
def online_short(y, x, ys, xs, n, TILE: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    o = tl.arange(0, TILE)
    v = tl.load(x + r * xs + o, mask=o < n, other=-float("inf")).to(tl.float32)
    e = tl.exp2((v - tl.max(v, axis=0)) * LOG2E)
    tl.store(y + r * ys + o, e / tl.sum(e, axis=0), mask=o < n)


def _launcher(n):
    if n <= 1024:
        width = triton.next_power_of_2(n)
        return online_short, {"TILE": width, "num_warps": max(1, width // 256)}
    return online_long, {"TILE": 2048, "num_warps": 8}


def softmax(x):
    rows, n = x.shape
    y = torch.empty_like(x)
    if rows * n == 0:
        return y
    kernel, options = _launcher(n)
    run = partial(kernel[(rows,)], y, x, y.stride(0), x.stride(0), n)
    run(**options)
    return y
