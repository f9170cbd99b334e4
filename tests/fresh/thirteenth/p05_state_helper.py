import torch
import triton
import triton.language as tl


@triton.jit
def _addresses(base, rows, stride, D: tl.constexpr):
    return base + rows.to(tl.int64)[:, None] * stride + tl.arange(0, D)[None, :]


@triton.jit
def _reweigh(s, m, l):
    """Return the weights of a tile of scores, the factor for what was summed before, and the new state."""
    m_next = tl.maximum(m, tl.max(s, axis=1))
    w = tl.exp(s - m_next[:, None])
    f = tl.exp(m - m_next)
    return w, f, m_next, l * f + tl.sum(w, axis=1)


@triton.jit
def attention_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    o_ptr,
    q_stride,
    k_stride,
    v_stride,
    o_stride,
    length,
    scale,
    D: tl.constexpr,
    BQ: tl.constexpr,
    BK: tl.constexpr,
):
    mine = tl.program_id(0).to(tl.int64) * BQ + tl.arange(0, BQ)
    q = tl.load(_addresses(q_ptr, mine, q_stride, D), mask=(mine < length)[:, None], other=0.0)

    m = tl.zeros((BQ,), tl.float32)
    l = tl.zeros((BQ,), tl.float32)
    o = tl.zeros((BQ, D), tl.float32)
    for k0 in range(0, length, BK):
        theirs = k0 + tl.arange(0, BK)
        there = theirs < length
        k = tl.load(_addresses(k_ptr, theirs, k_stride, D), mask=there[:, None], other=0.0)
        v = tl.load(_addresses(v_ptr, theirs, v_stride, D), mask=there[:, None], other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee")
        s = tl.where(there[None, :], s * scale, float("-inf"))
        w, f, m, l = _reweigh(s, m, l)
        o *= f[:, None]
        o += tl.dot(w.to(v.dtype), v)

    tl.store(_addresses(o_ptr, mine, o_stride, D), o / l[:, None], mask=(mine < length)[:, None])


def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    length, d = q.shape
    out = torch.empty_like(q)
    if not out.numel():
        return out
    BQ, BK = (32, 16) if q.element_size() == 4 else (64, 32)
    programs = -(-length // BQ)
    attention_kernel[(programs,)](
        q,
        k,
        v,
        out,
        *(t.stride(0) for t in (q, k, v, out)),
        length,
        d**-0.5,
        D=d,
        BQ=BQ,
        BK=BK,
        num_warps=4,
    )
    return out
