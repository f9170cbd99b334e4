"""The number of queries keeps the tile of queries small, and not the tile of scores."""

from dataclasses import asdict, dataclass

import torch
import triton
import triton.language as tl


@dataclass(frozen=True)
class Plan:
    BLOCK_Q: int
    BLOCK_K: int
    num_warps: int
    num_stages: int


def plan_for(dtype: torch.dtype, d: int) -> Plan:
    """Choose tiles, warps and stages for a dtype and a head size."""
    if dtype == torch.float32:
        return Plan(32, 32, 4, 1)
    queries = 8192 // d
    return Plan(queries, 64, 4 if queries <= 64 else 8, 2)


@triton.jit
def softmax_step(s, m, l):
    """Return the weights of a tile of scores, what shrinks older sums, and the new (m, l)."""
    m_after = tl.maximum(m, tl.max(s, axis=1))
    shrink = tl.exp(m - m_after)
    p = tl.exp(s - m_after[:, None])
    return p, shrink, m_after, l * shrink + tl.sum(p, axis=1)


@triton.jit
def attention(
    q, k, v, o, q_stride, k_stride, v_stride, o_stride, n, scale,
    D: tl.constexpr, BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr,
):
    cols = tl.arange(0, D)[None, :]
    query = (tl.program_id(0).to(tl.int64) * BLOCK_Q + tl.arange(0, BLOCK_Q))[:, None]
    q_tile = tl.load(q + query * q_stride + cols, mask=query < n, other=0.0)
    m = tl.full((BLOCK_Q,), -float("inf"), tl.float32)
    l = tl.zeros((BLOCK_Q,), tl.float32)
    acc = tl.zeros((BLOCK_Q, D), tl.float32)
    for start in tl.range(0, n, BLOCK_K):
        key = start + tl.arange(0, BLOCK_K)
        at = key[:, None].to(tl.int64)
        k_tile = tl.load(k + at * k_stride + cols, mask=at < n, other=0.0)
        v_tile = tl.load(v + at * v_stride + cols, mask=at < n, other=0.0)
        s = tl.dot(q_tile, tl.trans(k_tile), input_precision="ieee") * scale
        s = tl.where(key[None, :] < n, s, -float("inf"))
        p, shrink, m, l = softmax_step(s, m, l)
        acc = tl.dot(p.to(v_tile.dtype), v_tile, acc * shrink[:, None], input_precision="ieee")
    tl.store(o + query * o_stride + cols, acc / l[:, None], mask=query < n)


def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    n, d = q.shape
    o = torch.empty_like(q)
    if o.numel() == 0:
        return o
    plan = plan_for(q.dtype, d)
    grid = (triton.cdiv(n, plan.BLOCK_Q),)
    attention[grid](
        q, k, v, o, q.stride(0), k.stride(0), v.stride(0), o.stride(0), n, d**-0.5, D=d, **asdict(plan)
    )
    return o
