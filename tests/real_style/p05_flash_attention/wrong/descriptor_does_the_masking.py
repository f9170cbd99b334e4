"""Trusts the descriptor, which pads the keys with zeros: a score of zero has a weight.

Code: key-mask-missing
Mistake at: qk = tl.dot(q, k
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _maybe_descriptor(given, shape, strides, block_shape):
    if isinstance(given, tl.tensor_descriptor):
        return given
    else:
        return tl.make_tensor_descriptor(given, shape, strides, block_shape)


@triton.jit
def attn_desc(
    q_ptr, k_ptr, v_ptr, o_ptr, q_stride, k_stride, v_stride, o_stride, N_CTX, qk_scale,
    HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    desc_k = _maybe_descriptor(k_ptr, [N_CTX, HEAD_DIM], [k_stride, 1], [BLOCK_N, HEAD_DIM])
    desc_v = _maybe_descriptor(v_ptr, [N_CTX, HEAD_DIM], [v_stride, 1], [BLOCK_N, HEAD_DIM])
    desc_o = _maybe_descriptor(o_ptr, [N_CTX, HEAD_DIM], [o_stride, 1], [BLOCK_M, HEAD_DIM])
    start_m = tl.program_id(0)
    rows = start_m * BLOCK_M + tl.arange(0, BLOCK_M).to(tl.int64)
    q_ptrs = q_ptr + rows[:, None] * q_stride + tl.arange(0, HEAD_DIM)[None, :]
    q = tl.load(q_ptrs, mask=rows[:, None] < N_CTX, other=0.0)  # a copy would read the queries twice
    m_i = tl.full([BLOCK_M], float("-inf"), tl.float32)
    l_i = tl.full([BLOCK_M], 0.0, tl.float32)
    acc = tl.zeros([BLOCK_M, HEAD_DIM], tl.float32)
    for start_n in tl.range(0, N_CTX, BLOCK_N, warp_specialize=False):
        k = desc_k.load([start_n, 0]).T
        qk = tl.dot(q, k, input_precision="ieee") * qk_scale
        m_ij = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.exp2(qk - m_ij[:, None])
        alpha = tl.exp2(m_i - m_ij)
        v = desc_v.load([start_n, 0])
        acc = tl.dot(p.to(v.dtype), v, acc * alpha[:, None], input_precision="ieee")
        l_i = l_i * alpha + tl.sum(p, 1)
        m_i = m_ij
    desc_o.store([start_m * BLOCK_M, 0], (acc / l_i[:, None]).to(o_ptr.dtype.element_ty))


def _alloc(size: int, alignment: int, stream):
    return torch.empty(size, device="cuda", dtype=torch.int8)


def _aligned(t):
    ok = t.data_ptr() % 16 == 0 and (t.stride(0) * t.element_size()) % 16 == 0
    return t if ok else t.contiguous()


def flash_attention(q, k, v):
    n, d = q.shape
    o = torch.empty((n, d), device=q.device, dtype=q.dtype)
    if n == 0:
        return o
    triton.set_allocator(_alloc)
    k, v = map(_aligned, (k, v))
    BLOCK_M = BLOCK_N = 64 if q.element_size() == 2 else 32
    attn_desc[(triton.cdiv(n, BLOCK_M),)](
        q, k, v, o, q.stride(0), k.stride(0), v.stride(0), o.stride(0), n, d**-0.5 * 1.4426950408889634,
        HEAD_DIM=d, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, num_warps=4, num_stages=2,
    )  # fmt: skip
    return o
