"""The products run with the default input_precision: float32 inputs are rounded to TF32."""

import torch
import triton
import triton.language as tl

def reference(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Return softmax(q k^T / sqrt(d)) v."""
    return torch.softmax(q @ k.T * q.shape[1] ** -0.5, dim=1) @ v


@triton.jit
def attention_kernel(
    Q,
    K,
    V,
    Out,
    stride_q,
    stride_k,
    stride_v,
    stride_o,
    n,
    scale,
    D: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    start_m = tl.program_id(0).to(tl.int64)
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_d = tl.arange(0, D)
    q = tl.load(Q + offs_m[:, None] * stride_q + offs_d[None, :], mask=offs_m[:, None] < n, other=0.0)

    m_i = tl.full([BLOCK_M], -float("inf"), dtype=tl.float32)
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, D], dtype=tl.float32)
    for start_n in range(0, n, BLOCK_N):
        offs_n = start_n + tl.arange(0, BLOCK_N).to(tl.int64)
        k = tl.load(K + offs_n[:, None] * stride_k + offs_d[None, :], mask=offs_n[:, None] < n, other=0.0)
        qk = tl.dot(q, tl.trans(k)) * scale
        qk = tl.where(offs_n[None, :] < n, qk, float("-inf"))
        m_ij = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.exp(qk - m_ij[:, None])
        alpha = tl.exp(m_i - m_ij)
        l_i = l_i * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None]
        v = tl.load(V + offs_n[:, None] * stride_v + offs_d[None, :], mask=offs_n[:, None] < n, other=0.0)
        acc += tl.dot(p.to(v.dtype), v)
        m_i = m_ij

    acc = acc / l_i[:, None]
    tl.store(Out + offs_m[:, None] * stride_o + offs_d[None, :], acc, mask=offs_m[:, None] < n)


def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    n, d = q.shape
    o = torch.empty_like(q)
    if o.numel() == 0:
        return o
    block = 64 if q.element_size() == 2 else 32
    grid = lambda args: (triton.cdiv(n, args["BLOCK_M"]),)
    attention_kernel[grid](
        q, k, v, o,
        q.stride(0), k.stride(0), v.stride(0), o.stride(0),
        n, d ** -0.5,
        D=d, BLOCK_M=block, BLOCK_N=block, num_warps=4,
    )
    return o
