"""The rest begins at the number of whole tiles, not at the first key after them."""

import torch
import triton
import triton.language as tl

NEG_INF = tl.constexpr(float("-inf"))


@triton.jit
def fold(
    peak, norm, out, q, k_base, v_base, begin, n, k_pitch, v_pitch, scale,
    HEAD: tl.constexpr, TILE: tl.constexpr, GUARD: tl.constexpr,
):
    """Fold the keys begin .. begin + TILE - 1 into (peak, norm, out)."""
    idx = begin + tl.arange(0, TILE)
    wide = idx.to(tl.int64)[:, None]
    feat = tl.arange(0, HEAD)[None, :]
    if GUARD:
        k = tl.load(k_base + wide * k_pitch + feat, mask=wide < n, other=0.0)
        v = tl.load(v_base + wide * v_pitch + feat, mask=wide < n, other=0.0)
    else:
        k = tl.load(k_base + wide * k_pitch + feat)
        v = tl.load(v_base + wide * v_pitch + feat)
    s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
    s = tl.where((idx < n)[None, :], s, NEG_INF)
    top = tl.maximum(peak, tl.max(s, axis=1))
    shrink = tl.exp(peak - top)
    w = tl.exp(s - top[:, None])
    norm = norm * shrink + tl.sum(w, axis=1)
    out = tl.dot(w.to(v.dtype), v, out * shrink[:, None], input_precision="ieee")
    return top, norm, out


@triton.jit
def attend(
    q_base, k_base, v_base, o_base, q_pitch, k_pitch, v_pitch, o_pitch, n, scale,
    HEAD: tl.constexpr, QUERIES: tl.constexpr, TILE: tl.constexpr,
):
    mine = tl.program_id(0).to(tl.int64) * QUERIES + tl.arange(0, QUERIES)
    feat = tl.arange(0, HEAD)
    present = (mine < n)[:, None]
    q = tl.load(q_base + mine[:, None] * q_pitch + feat[None, :], mask=present, other=0.0)

    peak = tl.full((QUERIES,), NEG_INF, tl.float32)
    norm = tl.zeros((QUERIES,), tl.float32)
    out = tl.zeros((QUERIES, HEAD), tl.float32)

    whole = n // TILE * TILE
    for begin in range(0, whole, TILE):
        peak, norm, out = fold(
            peak, norm, out, q, k_base, v_base, begin, n, k_pitch, v_pitch, scale, HEAD, TILE, False
        )
    rest = n // TILE
    if whole < n:
        peak, norm, out = fold(
            peak, norm, out, q, k_base, v_base, rest, n, k_pitch, v_pitch, scale, HEAD, TILE, True
        )

    out = out / norm[:, None]
    tl.store(o_base + mine[:, None] * o_pitch + feat[None, :], out, mask=present)


def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    n, head = q.shape
    o = torch.empty_like(q)
    if n == 0:
        return o
    queries, tile = (32, 32) if q.dtype == torch.float32 else (64, 64)
    attend[(triton.cdiv(n, queries),)](
        q, k, v, o, q.stride(0), k.stride(0), v.stride(0), o.stride(0), n, head**-0.5,
        HEAD=head, QUERIES=queries, TILE=tile, num_warps=4,
    )
    return o
