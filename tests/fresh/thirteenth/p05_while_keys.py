import torch
import triton
import triton.language as tl

LOG2E = tl.constexpr(1.4426950408889634)


@triton.jit
def attention_kernel(
    Qp,
    Kp,
    Vp,
    Op,
    sq,
    sk,
    sv,
    so,
    n_ctx,
    scale,
    D: tl.constexpr,
    TQ: tl.constexpr,
    TK: tl.constexpr,
):
    block = tl.program_id(0).to(tl.int64)
    iq = block * TQ + tl.arange(0, TQ)[:, None]
    ik0 = tl.arange(0, TK).to(tl.int64)
    dd = tl.arange(0, D)[None, :]
    q = tl.load(Qp + iq * sq + dd, mask=iq < n_ctx, other=0.0)

    m_run = tl.full((TQ,), float("-inf"), tl.float32)
    l_run = tl.zeros((TQ,), tl.float32)
    o_run = tl.zeros((TQ, D), tl.float32)

    hi = tl.minimum((block + 1) * TQ, n_ctx)
    lo = 0
    while lo < hi:
        ik = lo + ik0
        seen = ik < n_ctx
        k = tl.load(Kp + ik[:, None] * sk + dd, mask=seen[:, None], other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        s = tl.where(seen[None, :], s, float("-inf"))
        m_next = tl.maximum(m_run, tl.max(s, 1))
        a = tl.exp2((m_run - m_next) * LOG2E)
        p = tl.exp2((s - m_next[:, None]) * LOG2E)
        v = tl.load(Vp + ik[:, None] * sv + dd, mask=seen[:, None], other=0.0)
        l_run = l_run * a + tl.sum(p, 1)
        o_run = o_run * a[:, None] + tl.dot(p.to(v.dtype), v, input_precision="ieee")
        m_run = m_next
        lo += TK

    tl.store(Op + iq * so + dd, o_run / l_run[:, None], mask=iq < n_ctx)


def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    n_ctx, d = q.shape
    o = torch.empty_like(q)
    if n_ctx == 0:
        return o
    tq, tk, warps = 32, 32, 4
    if q.element_size() == 2:
        tq, tk, warps = 128, 64, 8
    attention_kernel[(triton.cdiv(n_ctx, tq),)](
        q, k, v, o, q.stride(0), k.stride(0), v.stride(0), o.stride(0), n_ctx, d**-0.5, d, tq, tk, num_warps=warps
    )
    return o
