"""The mask of the scores is left out where n is a multiple of BLOCK_M, and BLOCK_N is twice that."""
import torch
import triton
import triton.language as tl


@triton.heuristics({"EVEN_N": lambda args: args["n"] % args["BLOCK_M"] == 0})
@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, o_ptr, sq, sk, sv, so, n, scale, D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, EVEN_N: tl.constexpr):
    offs_m = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    offs_d = tl.arange(0, D)
    q = tl.load(q_ptr + offs_m[:, None] * sq + offs_d[None, :], mask=offs_m[:, None] < n, other=0.0)
    m_i = tl.full([BLOCK_M], float("-inf"), tl.float32)
    l_i = tl.zeros([BLOCK_M], tl.float32)
    acc = tl.zeros([BLOCK_M, D], tl.float32)
    for start_n in range(0, n, BLOCK_N):
        cur = start_n + offs_n.to(tl.int64)
        k = tl.load(k_ptr + cur[None, :] * sk + offs_d[:, None], mask=cur[None, :] < n, other=0.0)
        qk = tl.dot(q, k, input_precision="ieee") * scale
        if not EVEN_N:
            qk = tl.where(cur[None, :] < n, qk, float("-inf"))
        m_ij = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.exp(qk - m_ij[:, None])
        alpha = tl.exp(m_i - m_ij)
        l_i = l_i * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None]
        v = tl.load(v_ptr + cur[:, None] * sv + offs_d[None, :], mask=cur[:, None] < n, other=0.0)
        acc = tl.dot(p.to(v.dtype), v, acc, input_precision="ieee")
        m_i = m_ij
    acc = acc / l_i[:, None]
    tl.store(o_ptr + offs_m[:, None] * so + offs_d[None, :], acc.to(o_ptr.dtype.element_ty), mask=offs_m[:, None] < n)


def flash_attention(q, k, v):
    n, d = q.shape
    o = torch.empty_like(q)
    if o.numel() == 0:
        return o
    BM, BN = (32, 64) if q.element_size() == 2 else (16, 32)
    attention_kernel[(triton.cdiv(n, BM),)](q, k, v, o, q.stride(0), k.stride(0), v.stride(0), o.stride(0), n, d ** -0.5, D=d, BLOCK_M=BM, BLOCK_N=BN, num_warps=4)
    return o
