"""Attention in units of log2, from the last keys to the first."""

import math

import torch
import triton
import triton.language as tl


@triton.jit
def rows_of(base, first, pitch, n, COUNT: tl.constexpr, WIDTH: tl.constexpr):
    r = (first + tl.arange(0, COUNT)).to(tl.int64)[:, None]
    return tl.load(base + r * pitch + tl.arange(0, WIDTH)[None, :], mask=r < n, other=0.0)


@triton.jit
def backwards_attention(
    q_in, k_in, v_in, y_out, sq, sk, sv, sy, n, scale_log2, WIDTH: tl.constexpr, BQ: tl.constexpr, BK: tl.constexpr
):
    first = tl.program_id(0) * BQ
    q = rows_of(q_in, first, sq, n, BQ, WIDTH)
    m = tl.full((BQ,), float("-inf"), tl.float32)
    total = tl.zeros((BQ,), tl.float32)
    mix = tl.zeros((BQ, WIDTH), tl.float32)

    tiles = tl.cdiv(n, BK)
    for i in range(tiles):
        begin = (tiles - 1 - i) * BK
        k = rows_of(k_in, begin, sk, n, BK, WIDTH)
        v = rows_of(v_in, begin, sv, n, BK, WIDTH)
        bits = tl.dot(q, tl.trans(k), input_precision="ieee") * scale_log2
        bits = tl.where(begin + tl.arange(0, BK)[None, :] < n, bits, float("-inf"))
        m_next = tl.maximum(m, tl.max(bits, axis=1))
        weights = tl.exp2(bits - m_next[:, None])
        decay = tl.exp(m - m_next)
        total = decay * total + tl.sum(weights, axis=1)
        mix = tl.dot(weights.to(v.dtype), v, decay[:, None] * mix, input_precision="ieee")
        m = m_next

    r = (first + tl.arange(0, BQ)).to(tl.int64)[:, None]
    tl.store(y_out + r * sy + tl.arange(0, WIDTH)[None, :], mix / total[:, None], mask=r < n)


def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    n, width = q.shape
    y = torch.empty_like(q)
    if y.numel() == 0:
        return y
    bq, bk = (32, 32) if q.dtype is torch.float32 else (64, 32)
    scale_log2 = math.log2(math.e) / math.sqrt(width)
    args = (q, k, v, y, q.stride(0), k.stride(0), v.stride(0), y.stride(0), n, scale_log2)
    backwards_attention[(triton.cdiv(n, bq),)](*args, WIDTH=width, BQ=bq, BK=bk, num_warps=4)
    return y
