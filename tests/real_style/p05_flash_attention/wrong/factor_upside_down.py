"""Takes the factor the wrong way round: from a maximum of -inf it is infinite, and 0 times infinity NaN.

Code: wrong-values
Mistake at: acc_o_scale =
"""

import math

import torch
import triton
import triton.language as tl


@triton.heuristics(
    {
        "EVEN_M": lambda args: args["seqlen_q"] % args["BLOCK_M"] == 0,
        "EVEN_N": lambda args: args["seqlen_k"] % args["BLOCK_N"] == 0,
    }
)
@triton.jit
def _fwd_kernel(
    Q,
    K,
    V,
    Out,
    Lse,
    softmax_scale,
    stride_qm,
    stride_kn,
    stride_vn,
    stride_om,
    seqlen_q,
    seqlen_k,
    BLOCK_HEADDIM: tl.constexpr,
    EVEN_M: tl.constexpr,
    EVEN_N: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    start_m = tl.program_id(0)
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    offs_d = tl.arange(0, BLOCK_HEADDIM)
    q_ptrs = Q + (offs_m.to(tl.int64)[:, None] * stride_qm + offs_d[None, :])
    k_ptrs = K + (offs_n.to(tl.int64)[:, None] * stride_kn + offs_d[None, :])
    v_ptrs = V + (offs_n.to(tl.int64)[:, None] * stride_vn + offs_d[None, :])
    m_i = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32)
    acc_o = tl.zeros([BLOCK_M, BLOCK_HEADDIM], dtype=tl.float32)
    if EVEN_M:
        q = tl.load(q_ptrs)
    else:
        q = tl.load(q_ptrs, mask=offs_m[:, None] < seqlen_q, other=0.0)
    for start_n in range(0, seqlen_k, BLOCK_N):
        start_n = tl.multiple_of(start_n, BLOCK_N)
        row = tl.cast(start_n, tl.int64)
        if EVEN_N:
            k = tl.load(k_ptrs + row * stride_kn)
        else:
            k = tl.load(k_ptrs + row * stride_kn, mask=(start_n + offs_n)[:, None] < seqlen_k, other=0.0)
        qk = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
        qk += tl.dot(q, tl.trans(k), input_precision="ieee") * softmax_scale
        if not EVEN_N:
            qk += tl.where((start_n + offs_n)[None, :] < seqlen_k, 0, float("-inf"))
        m_ij = tl.maximum(tl.max(qk, 1), m_i)
        p = tl.exp(qk - m_ij[:, None])
        l_ij = tl.sum(p, 1)
        acc_o_scale = tl.exp(m_ij - m_i)
        acc_o = acc_o * acc_o_scale[:, None]
        if EVEN_N:
            v = tl.load(v_ptrs + row * stride_vn)
        else:
            v = tl.load(v_ptrs + row * stride_vn, mask=(start_n + offs_n)[:, None] < seqlen_k, other=0.0)
        acc_o += tl.dot(p.to(v.dtype), v, input_precision="ieee")
        l_i = l_i * acc_o_scale + l_ij
        m_i = m_ij
    acc_o = acc_o * (1.0 / l_i)[:, None]
    tl.store(Lse + offs_m, m_i + tl.log(l_i))
    out_ptrs = Out + (offs_m.to(tl.int64)[:, None] * stride_om + offs_d[None, :])
    if EVEN_M:
        tl.store(out_ptrs, acc_o)
    else:
        tl.store(out_ptrs, acc_o, mask=offs_m[:, None] < seqlen_q)


def _flash_attn_forward(q, k, v, softmax_scale=None):
    seqlen_q, d = q.shape
    seqlen_k, _ = k.shape
    assert k.shape == (seqlen_k, d) and v.shape == (seqlen_k, d)
    assert q.dtype == k.dtype == v.dtype, "All tensors must have the same type"
    softmax_scale = softmax_scale or 1.0 / math.sqrt(d)
    seqlen_q_rounded = math.ceil(seqlen_q / 128) * 128
    lse = torch.empty((seqlen_q_rounded,), device=q.device, dtype=torch.float32)
    o = torch.empty_like(q)
    BLOCK = 64 if q.element_size() == 2 else 32
    grid = lambda META: (triton.cdiv(seqlen_q, META["BLOCK_M"]), 1)  # noqa: E731
    _fwd_kernel[grid](
        q,
        k,
        v,
        o,
        lse,
        softmax_scale,
        q.stride(0),
        k.stride(0),
        v.stride(0),
        o.stride(0),
        seqlen_q,
        seqlen_k,
        BLOCK_HEADDIM=max(triton.next_power_of_2(d), 16),
        BLOCK_M=BLOCK,
        BLOCK_N=BLOCK,
        num_warps=4 if d <= 64 else 8,
        num_stages=1,
    )
    return o, lse, softmax_scale


def flash_attention(q, k, v):
    if q.shape[0] == 0:
        return torch.empty_like(q)
    o, _, _ = _flash_attn_forward(q, k, v)
    return o
