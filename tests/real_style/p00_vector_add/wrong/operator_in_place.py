"""Adds in place, as an operator with an underscore does, and returns its first argument.

Code: aliases-input
"""

import triton
import triton.language as tl


@triton.jit
def _add_fwd(X, Y, OUT, numel, BLOCK: tl.constexpr):
    start = tl.program_id(axis=0).to(tl.int64) * BLOCK
    idx = start + tl.arange(0, BLOCK)
    in_range = idx < numel
    a = tl.load(X + idx, mask=in_range)
    b = tl.load(Y + idx, mask=in_range)
    tl.store(OUT + idx, a + b, mask=in_range)


def add_(x, y):
    numel = x.numel()
    if numel:
        _add_fwd[(triton.cdiv(numel, 1024),)](x, y, x, numel, BLOCK=1024)
    return x


def add(x, y):
    return add_(x, y)
