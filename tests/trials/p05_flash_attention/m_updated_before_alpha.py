"""m_i = m_ij stands before alpha = tl.math.exp2((m_i - m_ij) * qk_scale), so alpha is always 1 (and l_i starts with 1)"""
import torch
import triton
import triton.language as tl


def reference(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return torch.softmax(q @ k.T * q.shape[1] ** -0.5, dim=1) @ v


@triton.jit
def attention_kernel(
    Q, K, V, Out,
    stride_qm, stride_kn, stride_vn, stride_om,
    N_CTX, sm_scale,
    HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):
    start_m = tl.program_id(0)
    offs_m = start_m.to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_d = tl.arange(0, HEAD_DIM)
    m_i = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32) + 1.0
    acc = tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32)
    qk_scale = sm_scale * 1.44269504
    q = tl.load(Q + offs_m[:, None] * stride_qm + offs_d[None, :], mask=offs_m[:, None] < N_CTX, other=0.0)
    for start_n in range(0, N_CTX, BLOCK_N):
        start_n = tl.multiple_of(start_n, BLOCK_N)
        offs_n = start_n + tl.arange(0, BLOCK_N).to(tl.int64)
        k = tl.load(K + offs_n[None, :] * stride_kn + offs_d[:, None], mask=offs_n[None, :] < N_CTX, other=0.0)
        qk = tl.dot(q, k, input_precision="ieee")
        qk = tl.where(offs_n[None, :] < N_CTX, qk, float("-inf"))
        m_ij = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.math.exp2((qk - m_ij[:, None]) * qk_scale)
        m_i = m_ij
        alpha = tl.math.exp2((m_i - m_ij) * qk_scale)
        l_ij = tl.sum(p, 1)
        acc = acc * alpha[:, None]
        v = tl.load(V + offs_n[:, None] * stride_vn + offs_d[None, :], mask=offs_n[:, None] < N_CTX, other=0.0)
        acc = tl.dot(p.to(v.dtype), v, acc, input_precision="ieee")
        l_i = l_i * alpha + l_ij
    acc = acc / l_i[:, None]
    tl.store(
        Out + offs_m[:, None] * stride_om + offs_d[None, :], acc.to(Out.type.element_ty), mask=offs_m[:, None] < N_CTX
    )


def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    n, d = q.shape
    o = torch.empty_like(q)
    if n == 0:
        return o
    BLOCK_M, BLOCK_N = (128, 32) if q.element_size() == 2 else (32, 32)
    grid = lambda args: (triton.cdiv(n, args["BLOCK_M"]), 1, 1)
    attention_kernel[grid](
        q, k, v, o, q.stride(0), k.stride(0), v.stride(0), o.stride(0), n, d**-0.5,
        HEAD_DIM=d, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, num_warps=4, num_stages=2,
    )
    return o
