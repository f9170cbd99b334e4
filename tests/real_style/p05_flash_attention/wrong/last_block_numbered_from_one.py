"""Masks the scores of a block whose number no block has.

Code: key-mask-missing
Mistake at: qk = qk * scale
Mistake at: if i == n_blocks
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import torch
import triton
import triton.language as tl


@dataclass(frozen=True)
class FwdConfig:
    BLOCK_M: int
    BLOCK_N: int
    PRE_LOAD_V: bool
    num_warps: int
    num_stages: int

    def as_kwargs(self) -> dict[str, int | bool]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


TABLE = {
    (torch.float16, 64): FwdConfig(64, 64, True, 4, 2),
    (torch.float16, 128): FwdConfig(64, 32, False, 4, 2),
    (torch.bfloat16, 64): FwdConfig(64, 64, False, 4, 2),
}
DEFAULT = FwdConfig(32, 32, True, 4, 1)


@triton.jit
def _masked(ptrs, ok, BOUND: tl.constexpr):
    if BOUND:
        return tl.load(ptrs, mask=ok, other=0.0)
    else:
        return tl.load(ptrs)


@triton.jit(do_not_specialize=["scale"])
def fwd(
    Q, K, V, O,
    stride_qm: tl.int64, stride_kn: tl.int64, stride_vn: tl.int64, stride_om: tl.int64,
    SEQLEN, scale,
    D: tl.constexpr, TAIL: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, PRE_LOAD_V: tl.constexpr,
):  # fmt: skip
    tl.assume(stride_qm >= 0)
    tl.assume(stride_kn >= 0)
    tl.assume(stride_vn >= 0)
    tl.static_assert(D % 16 == 0, "the head is a multiple of 16")
    block = tl.num_programs(0) - 1 - tl.program_id(0)
    m_offs = block * BLOCK_M + tl.arange(0, BLOCK_M)
    d_offs = tl.arange(0, D)
    q = tl.load(Q + m_offs[:, None] * stride_qm + d_offs[None, :], mask=m_offs[:, None] < SEQLEN, other=0.0)
    acc = tl.zeros([BLOCK_M, D], dtype=tl.float32)
    m_i = tl.full([BLOCK_M], float("-inf"), dtype=tl.float32)
    l_i = tl.full([BLOCK_M], 0.0, dtype=tl.float32)
    n_blocks = tl.cdiv(SEQLEN, BLOCK_N)
    for i in range(0, n_blocks):
        n_offs = i * BLOCK_N + tl.arange(0, BLOCK_N)
        inside = n_offs < SEQLEN
        k = _masked(K + n_offs[None, :] * stride_kn + d_offs[:, None], inside[None, :], TAIL)
        v_ptrs = V + n_offs[:, None] * stride_vn + d_offs[None, :]
        if PRE_LOAD_V:
            v = _masked(v_ptrs, inside[:, None], TAIL)
        qk = tl.dot(q, k, input_precision="ieee")
        qk = qk * scale
        if TAIL:
            if i == n_blocks:
                qk = tl.where(inside[None, :], qk, float("-inf"))
        m_ij = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.math.exp(qk - m_ij[:, None])
        l_ij = tl.sum(p, 1)
        alpha = tl.math.exp(m_i - m_ij)
        acc = acc * alpha[:, None]
        if not PRE_LOAD_V:
            v = _masked(v_ptrs, inside[:, None], TAIL)
        l_i = l_i * alpha + l_ij
        m_i = m_ij
        acc += tl.dot(p.to(V.dtype.element_ty), v, input_precision="ieee")
    l_recip = 1 / l_i[:, None]
    acc = acc * l_recip
    tl.store(
        O + m_offs[:, None] * stride_om + d_offs[None, :],
        acc.to(O.dtype.element_ty),
        mask=m_offs[:, None] < SEQLEN,
    )


def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    n, d = q.shape
    out = torch.empty_like(q)
    if n == 0:
        return out
    config = TABLE.get((q.dtype, d), DEFAULT)
    grid = (triton.cdiv(n, config.BLOCK_M), 1, 1)
    strides = [t.stride(0) for t in (q, k, v, out)]
    fwd[grid](q, k, v, out, *strides, n, d**-0.5, D=d, TAIL=n % config.BLOCK_N != 0, **config.as_kwargs())
    return out
