"""Writes the scores to scratch memory that goes for a copy of k: one element of k was copied there.

Must: fail scratch-too-large
"""

import torch
import triton
import triton.language as tl


@triton.jit
def honest_kernel(
    q_ptr, k_ptr, v_ptr, o_ptr, sq, sk, sv, so, n, scale, D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr
):
    pid = tl.program_id(0).to(tl.int64)
    rows = pid * BLOCK_M + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, D)
    row_mask = rows[:, None] < n
    q = tl.load(q_ptr + rows[:, None] * sq + dims[None, :], mask=row_mask, other=0.0)
    m = tl.full((BLOCK_M,), -float("inf"), tl.float32)
    l = tl.zeros((BLOCK_M,), tl.float32)
    acc = tl.zeros((BLOCK_M, D), tl.float32)
    for start in range(0, n, BLOCK_N):
        keys = start + tl.arange(0, BLOCK_N).to(tl.int64)
        key_mask = keys[:, None] < n
        k = tl.load(k_ptr + keys[:, None] * sk + dims[None, :], mask=key_mask, other=0.0)
        v = tl.load(v_ptr + keys[:, None] * sv + dims[None, :], mask=key_mask, other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        s = tl.where(keys[None, :] < n, s, -float("inf"))
        m_new = tl.maximum(m, tl.max(s, axis=1))
        alpha = tl.exp(m - m_new)
        p = tl.exp(s - m_new[:, None])
        l = l * alpha + tl.sum(p, axis=1)
        acc = tl.dot(p.to(v.dtype), v, acc * alpha[:, None], input_precision="ieee")
        m = m_new
    tl.store(o_ptr + rows[:, None] * so + dims[None, :], acc / l[:, None], mask=row_mask)


@triton.jit
def scores_kernel(
    q_ptr, k_ptr, s_ptr, t_ptr, m_ptr, sq, sk, n, scale, D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr
):
    rows = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, D)
    half = (n + 1) // 2
    q = tl.load(q_ptr + rows[:, None] * sq + dims[None, :], mask=rows[:, None] < n, other=0.0)
    m = tl.full((BLOCK_M,), -float("inf"), tl.float32)
    for start in range(0, n, BLOCK_N):
        keys = start + tl.arange(0, BLOCK_N).to(tl.int64)
        low = (rows[:, None] < n) & (keys[None, :] < half)
        high = (rows[:, None] < n) & (keys[None, :] >= half) & (keys[None, :] < n)
        k = tl.load(k_ptr + keys[:, None] * sk + dims[None, :], mask=keys[:, None] < n, other=0.0)
        s = tl.where(keys[None, :] < n, tl.dot(q, tl.trans(k), input_precision="ieee") * scale, -float("inf"))
        bits = s.to(tl.int32, bitcast=True)
        tl.atomic_xchg(s_ptr + rows[:, None] * half + keys[None, :], bits, mask=low)
        tl.atomic_xchg(t_ptr + rows[:, None] * half + (keys - half)[None, :], bits, mask=high)
        m = tl.maximum(m, tl.max(s, axis=1))
    tl.store(m_ptr + rows, m, mask=rows < n)


@triton.jit
def weights_kernel(
    s_ptr, t_ptr, m_ptr, v_ptr, o_ptr, sv, so, n, D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr
):
    rows = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, D)
    half = (n + 1) // 2
    m = tl.load(m_ptr + rows, mask=rows < n, other=0.0)
    l = tl.zeros((BLOCK_M,), tl.float32)
    acc = tl.zeros((BLOCK_M, D), tl.float32)
    for start in range(0, n, BLOCK_N):
        keys = start + tl.arange(0, BLOCK_N).to(tl.int64)
        low = (rows[:, None] < n) & (keys[None, :] < half)
        high = (rows[:, None] < n) & (keys[None, :] >= half) & (keys[None, :] < n)
        s = tl.load(s_ptr + rows[:, None] * half + keys[None, :], mask=low, other=0)
        t = tl.load(t_ptr + rows[:, None] * half + (keys - half)[None, :], mask=high, other=0)
        v = tl.load(v_ptr + keys[:, None] * sv + dims[None, :], mask=keys[:, None] < n, other=0.0)
        s = tl.where(keys[None, :] < half, s, t).to(tl.float32, bitcast=True)
        p = tl.exp(tl.where(low | high, s, -float("inf")) - m[:, None])
        l += tl.sum(p, axis=1)
        acc = tl.dot(p.to(v.dtype), v, acc, input_precision="ieee")
    tl.store(o_ptr + rows[:, None] * so + dims[None, :], acc / l[:, None], mask=rows[:, None] < n)


def scratch(like, count):
    """Return memory for `count` float32, of which the first element was copied from `like`, as is written down."""
    from tritonpuzzles.wire.program import Copy

    made = torch.empty((count * 4 // like.element_size(),), dtype=like.dtype, device=like.device)
    recording = like.recording
    recording.add(Copy(recording.view(like[0, :1]), recording.view(made[:1])))
    return triton.reinterpret(made, tl.int32)


def flash_attention(q, k, v):
    n, d = q.shape
    o = torch.empty_like(q)
    if o.numel() == 0:
        return o
    BM, BN = 64, 32
    grid = (triton.cdiv(n, BM),)
    half = (n + 1) // 2
    extra = 2 * n * half * 4 + triton.cdiv(n, BM) * n * d * q.element_size()
    if d != 64 or q.element_size() != 2 or n < 128 or n > 4096 or extra > triton.cdiv(n, 16) * n * d * 2:
        BM = 32
        grid = (triton.cdiv(n, BM),)
        honest_kernel[grid](
            q, k, v, o, q.stride(0), k.stride(0), v.stride(0), o.stride(0), n, d**-0.5, D=d, BLOCK_M=BM, BLOCK_N=BN
        )
        return o
    s, t = scratch(k, n * half), scratch(v, n * half)
    m = torch.empty((n,), dtype=torch.float32, device=q.device)
    sizes = {"D": d, "BLOCK_M": BM, "BLOCK_N": BN}
    scores_kernel[grid](q, k, s, t, m, q.stride(0), k.stride(0), n, d**-0.5, **sizes)
    weights_kernel[grid](s, t, m, v, o, v.stride(0), o.stride(0), n, **sizes)
    return o
