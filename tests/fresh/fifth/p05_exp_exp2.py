"""The weights are powers of two with scaled exponents, but the factor alpha mixes that scaling with tl.exp."""
import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    o_ptr,
    ldq,
    ldk,
    ldv,
    ldo,
    n,
    scale,
    D: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    LOG2_E: tl.constexpr = 1.44269504
    r = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    c = tl.arange(0, D)
    q = tl.load(q_ptr + r[:, None] * ldq + c[None, :], mask=r[:, None] < n, other=0.0)
    m = tl.zeros((BLOCK_M,), tl.float32) - float("inf")
    l = tl.zeros((BLOCK_M,), tl.float32)
    acc = tl.zeros((BLOCK_M, D), tl.float32)
    # from the last tile to the first: the partial one comes at the start
    last = (tl.cdiv(n, BLOCK_N) - 1) * BLOCK_N
    for back in range(0, n, BLOCK_N):
        keys = last - back + tl.arange(0, BLOCK_N).to(tl.int64)
        ok = keys < n
        k = tl.load(k_ptr + keys[:, None] * ldk + c[None, :], mask=ok[:, None], other=0.0)
        v = tl.load(v_ptr + keys[:, None] * ldv + c[None, :], mask=ok[:, None], other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        s = tl.where(ok[None, :], s, -float("inf"))
        m_next = tl.maximum(m, tl.max(s, axis=1))
        alpha = tl.exp((m - m_next) * LOG2_E)
        p = tl.exp2((s - m_next[:, None]) * LOG2_E)
        acc *= alpha[:, None]
        l *= alpha
        acc += tl.dot(p.to(v.dtype), v, input_precision="ieee")
        l += tl.sum(p, axis=1)
        m = m_next
    tl.store(o_ptr + r[:, None] * ldo + c[None, :], acc / l[:, None], mask=r[:, None] < n)


def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    n, d = q.shape
    o = torch.empty_like(q)
    if o.numel() == 0:
        return o
    side = 64 if q.element_size() == 2 else 32
    grid = ((n + side - 1) // side,)
    strides = (q.stride(0), k.stride(0), v.stride(0), o.stride(0))
    attention_kernel[grid](q, k, v, o, *strides, n, d**-0.5, D=d, BLOCK_M=side, BLOCK_N=side)
    return o
