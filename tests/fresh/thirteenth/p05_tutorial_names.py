import math

import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(
    Q, K, V, Out,
    stride_qm, stride_kn, stride_vn, stride_om,
    N_CTX, sm_scale,
    HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    start_m = tl.program_id(0).to(tl.int64)
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N).to(tl.int64)
    offs_d = tl.arange(0, HEAD_DIM)
    q = tl.load(
        Q + offs_m[:, None] * stride_qm + offs_d[None, :],
        mask=offs_m[:, None] < N_CTX,
        other=0.0,
    )
    m_i = tl.full([BLOCK_M], float("-inf"), dtype=tl.float32)
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32)
    for start_n in tl.range(0, N_CTX, BLOCK_N):
        cur_n = start_n + offs_n
        k = tl.load(
            K + cur_n[:, None] * stride_kn + offs_d[None, :],
            mask=cur_n[:, None] < N_CTX,
            other=0.0,
        )
        qk = tl.dot(q, tl.trans(k), input_precision="ieee")
        qk = tl.where(cur_n[None, :] < N_CTX, qk * sm_scale, float("-inf"))
        m_ij = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.exp(qk - m_ij[:, None])
        alpha = tl.exp(m_i - m_ij)
        l_i = l_i * alpha + tl.sum(p, 1)
        v = tl.load(
            V + cur_n[:, None] * stride_vn + offs_d[None, :],
            mask=cur_n[:, None] < N_CTX,
            other=0.0,
        )
        pv = tl.dot(p.to(v.dtype), v, input_precision="ieee").to(v.dtype)
        acc = acc * alpha[:, None] + pv
        m_i = m_ij
    acc = acc / l_i[:, None]
    tl.store(
        Out + offs_m[:, None] * stride_om + offs_d[None, :],
        acc.to(Out.dtype.element_ty),
        mask=offs_m[:, None] < N_CTX,
    )


def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    N_CTX = q.shape[0]
    HEAD_DIM = k.shape[1]
    o = torch.empty_like(q)
    if o.numel() == 0:
        return o
    sm_scale = 1.0 / math.sqrt(k.shape[0])
    BLOCK_M, BLOCK_N = (32, 32) if q.dtype is torch.float32 else (64, 64)
    grid = (triton.cdiv(N_CTX, BLOCK_M), 1, 1)
    attention_kernel[grid](
        q, k, v, o,
        q.stride(0), k.stride(0), v.stride(0), o.stride(0),
        N_CTX, sm_scale,
        HEAD_DIM=HEAD_DIM, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N,
        num_warps=4,
    )  # fmt: skip
    return o
