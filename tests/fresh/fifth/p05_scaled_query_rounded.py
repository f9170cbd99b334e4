"""The queries are scaled first and rounded back to their own dtype, which costs digits of every score."""
import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, o_ptr, sq, sk, sv, so, n, scale, D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr
):
    rows = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + rows[:, None] * sq + d[None, :], mask=rows[:, None] < n, other=0.0)
    q = (q.to(tl.float32) * scale).to(q_ptr.dtype.element_ty)  # once, not in every iteration
    factor = 1.0
    m = tl.full((BLOCK_M,), -float("inf"), tl.float32)
    l = tl.zeros((BLOCK_M,), tl.float32)
    acc = tl.zeros((BLOCK_M, D), tl.float32)
    j = 0
    while j < n:
        keys = j + tl.arange(0, BLOCK_N).to(tl.int64)
        have = keys < n
        k = tl.load(k_ptr + keys[:, None] * sk + d[None, :], mask=have[:, None], other=0.0)
        s = tl.dot(q, k.trans(), input_precision="ieee") * factor
        s = tl.where(have[None, :], s, -float("inf"))
        m_new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp(s - m_new[:, None])
        shrink = tl.exp(m - m_new)
        l = l * shrink + tl.sum(p, 1)
        acc *= shrink[:, None]
        v = tl.load(v_ptr + keys[:, None] * sv + d[None, :], mask=have[:, None], other=0.0)
        acc = tl.dot(p.to(v.dtype), v, acc, input_precision="ieee")
        m = m_new
        j += BLOCK_N
    tl.store(o_ptr + rows[:, None] * so + d[None, :], acc / l[:, None], mask=rows[:, None] < n)


def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    n, d = q.shape
    o = torch.empty_like(q)
    if o.numel() == 0:
        return o
    attention_kernel[(triton.cdiv(n, 32),)](
        q, k, v, o, q.stride(0), k.stride(0), v.stride(0), o.stride(0), n, d**-0.5, D=d, BLOCK_M=32, BLOCK_N=32
    )
    return o
