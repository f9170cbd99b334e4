"""Computes powers of two of scores that were scaled for powers of e.

Code: wrong-base
Mistake at: exp2(qk - m_ij
Mistake at: qk_scale =
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _fwd_inner(
    acc, l_i, m_i, q, K, V, stride_k, stride_v, qk_scale, lo, hi, n_ctx,
    HEAD_DIM: tl.constexpr, BLOCK_N: tl.constexpr, MASKED: tl.constexpr,
):  # fmt: skip
    offs_n = tl.arange(0, BLOCK_N)
    offs_d = tl.arange(0, HEAD_DIM)
    for start_n in tl.range(lo, hi, BLOCK_N):
        start_n = tl.multiple_of(start_n, BLOCK_N)
        keys = (start_n + offs_n).to(tl.int64)
        if MASKED:
            k = tl.load(K + keys[None, :] * stride_k + offs_d[:, None], mask=keys[None, :] < n_ctx, other=0.0)
            v = tl.load(V + keys[:, None] * stride_v + offs_d[None, :], mask=keys[:, None] < n_ctx, other=0.0)
        else:
            k = tl.load(K + keys[None, :] * stride_k + offs_d[:, None])
            v = tl.load(V + keys[:, None] * stride_v + offs_d[None, :])
        qk = tl.dot(q, k, input_precision="ieee") * qk_scale
        if MASKED:
            qk = tl.where(keys[None, :] < n_ctx, qk, float("-inf"))
        m_ij = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.math.exp2(qk - m_ij[:, None])
        alpha = tl.math.exp2(m_i - m_ij)
        l_i = l_i * alpha + tl.sum(p, 1)
        acc = tl.dot(p.to(v.dtype), v, acc * alpha[:, None], input_precision="ieee")
        m_i = m_ij
    return acc, l_i, m_i


def _prune(configs, named_args, **kwargs):
    small = named_args["Q"].element_size() == 4
    return [c for c in configs if c.kwargs["BLOCK_M"] <= (32 if small else 128)]


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_M": bm, "BLOCK_N": bn}, num_warps=w, num_stages=s)
        for bm in (32, 64)
        for bn in (32, 64)
        for w in (4,)
        for s in (2,)
    ],
    key=["N_CTX", "HEAD_DIM"],
    prune_configs_by={"early_config_prune": _prune},
)
@triton.jit
def _attn_fwd(
    Q, K, V, Out, stride_qm, stride_kn, stride_vn, stride_om, N_CTX, sm_scale,
    HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    start_m = tl.program_id(0)
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M).to(tl.int64)
    offs_d = tl.arange(0, HEAD_DIM)
    q = tl.load(Q + offs_m[:, None] * stride_qm + offs_d[None, :], mask=offs_m[:, None] < N_CTX, other=0.0)
    m_i = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32)
    qk_scale = sm_scale
    whole = N_CTX // BLOCK_N * BLOCK_N
    acc, l_i, m_i = _fwd_inner(
        acc, l_i, m_i, q, K, V, stride_kn, stride_vn, qk_scale, 0, whole, N_CTX, HEAD_DIM, BLOCK_N, False
    )
    if whole < N_CTX:
        acc, l_i, m_i = _fwd_inner(
            acc, l_i, m_i, q, K, V, stride_kn, stride_vn, qk_scale, whole, N_CTX, N_CTX, HEAD_DIM, BLOCK_N, True
        )
    acc = acc / l_i[:, None]
    out = Out + offs_m[:, None] * stride_om + offs_d[None, :]
    tl.store(out, acc.to(Out.type.element_ty), mask=offs_m[:, None] < N_CTX)


class _attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v, sm_scale):
        assert q.shape[-1] == k.shape[-1] == v.shape[-1] and q.shape[-1] in {16, 32, 64, 128, 256}
        o = torch.empty_like(q)
        n = q.shape[0]
        if n:
            grid = lambda args: (triton.cdiv(n, args["BLOCK_M"]), 1, 1)  # noqa: E731
            _attn_fwd[grid](
                q, k, v, o, q.stride(0), k.stride(0), v.stride(0), o.stride(0), n, sm_scale, HEAD_DIM=q.shape[-1]
            )
        ctx.save_for_backward(q, k, v, o)
        ctx.sm_scale = sm_scale
        return o


attention = _attention.apply


def flash_attention(q, k, v):
    return attention(q, k, v, q.shape[-1] ** -0.5)
