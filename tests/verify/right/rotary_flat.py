"""Interleaved rotary embedding in place, masked by rows and columns."""

import torch
import triton
import triton.language as tl


@triton.jit
def rotary_kernel(x_ptr, cos_ptr, sin_ptr, n_rows, n_heads, dim, BLOCK: tl.constexpr, RD: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    d = tl.arange(0, RD)
    mask = rows[:, None] < n_rows + 0 * d[None, :]
    mask = mask & (d[None, :] < dim)
    ptrs = x_ptr + rows[:, None].to(tl.int64) * dim + d[None, :]
    x = tl.load(ptrs, mask=mask, other=0.0)
    first, second = tl.split(tl.reshape(x, (BLOCK, RD // 2, 2)))
    pairs = tl.arange(0, RD // 2)
    table = (rows // n_heads)[:, None].to(tl.int64) * (dim // 2) + pairs[None, :]
    inside = (rows[:, None] < n_rows) & (pairs[None, :] < dim // 2)
    cos = tl.load(cos_ptr + table, mask=inside, other=1.0)
    sin = tl.load(sin_ptr + table, mask=inside, other=0.0)
    out = tl.join(first * cos - second * sin, second * cos + first * sin)
    tl.store(ptrs, tl.reshape(out, (BLOCK, RD)), mask=mask)


def run(x, cos, sin):
    tokens, heads, dim = x.shape
    rows = tokens * heads
    rotary_kernel[(triton.cdiv(rows, 4),)](x, cos, sin, rows, heads, dim, BLOCK=4, RD=triton.next_power_of_2(dim))
    return x


def reference(x, cos, sin):
    first, second = x[..., ::2].clone(), x[..., 1::2].clone()
    x[..., ::2] = first * cos[:, None] - second * sin[:, None]
    x[..., 1::2] = second * cos[:, None] + first * sin[:, None]
    return x


def cases():
    return [dict(x=torch.randn(4, 5, 6), cos=torch.randn(4, 3), sin=torch.randn(4, 3))]


OPTIONS = dict(mutates=("x",), vary=False)
