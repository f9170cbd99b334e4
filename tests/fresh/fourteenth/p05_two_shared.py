"""Attention in 32 by 32 tiles."""

import torch
import triton
import triton.language as tl

TILE = 32


@triton.jit
def tile_ptrs(base, index, pitch, FEAT: tl.constexpr):
    return base + index[:, None] * pitch + tl.arange(0, FEAT)[None, :]


@triton.jit
def attn32(
    q0, k0, v0, o0, pq, pk, pv, po, length, temper,
    FEAT: tl.constexpr, T: tl.constexpr,
):
    lane = tl.arange(0, T)
    me = tl.program_id(0).to(tl.int64) * T + lane
    q = tl.load(tile_ptrs(q0, me, pq, FEAT), mask=me[:, None] < length, other=0.0)

    hi = tl.full((T,), -float("inf"), tl.float32)
    z = tl.zeros((T,), tl.float32)
    y = tl.zeros((T, FEAT), tl.float32)
    start = 0
    while start < length:
        them = start + lane
        k = tl.load(tile_ptrs(k0, them, pk, FEAT), mask=them[:, None] < length, other=0.0)
        v = tl.load(tile_ptrs(v0, them, pv, FEAT), mask=them[:, None] < length, other=0.0)

        a = tl.dot(q, tl.trans(k), input_precision="ieee") * temper
        a = tl.where(them[None, :] < length, a, -float("inf"))
        hi2 = tl.maximum(hi, tl.max(a))
        f = tl.exp(hi - hi2)
        a = tl.exp(a - hi2[:, None])
        z = f * z + tl.sum(a, axis=1)
        y = tl.dot(a.to(v.dtype), v, f[:, None] * y, input_precision="ieee")
        hi = hi2
        start += T

    tl.store(tile_ptrs(o0, me, po, FEAT), y / z[:, None], mask=me[:, None] < length)


def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    length, feat = q.shape
    o = torch.empty_like(q)
    if length == 0:
        return o
    programs = -(-length // TILE)
    attn32[(programs,)](
        q, k, v, o, q.stride(0), k.stride(0), v.stride(0), o.stride(0), length, feat**-0.5,
        FEAT=feat, T=TILE, num_warps=4,
    )
    return o
