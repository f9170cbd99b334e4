"""Leaves the precision of its products to the compiler, which rounds float32 to TF32.

Code: tf32
"""

import torch
import triton
import triton.language as tl

LOG2E = tl.constexpr(1.4426950408889634)


@triton.jit
def _softmax_step(m, l, s):
    m_new = tl.maximum(m, tl.max(s, axis=1))
    alpha = tl.exp2((m - m_new) * LOG2E)
    p = tl.exp2((s - m_new[:, None]) * LOG2E)
    return m_new, l * alpha + tl.sum(p, axis=1), alpha, p


@triton.jit
def _attend(q, kv, strides, n, scale, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, D: tl.constexpr):
    k_ptr, v_ptr = kv
    k_stride, v_stride = strides
    dims = tl.arange(0, D)
    m = tl.full((BLOCK_M,), -float("inf"), tl.float32)
    l = tl.zeros((BLOCK_M,), tl.float32)
    acc = tl.zeros((BLOCK_M, D), tl.float32)
    for start in tl.range(0, n, BLOCK_N, num_stages=2):
        keys = start + tl.arange(0, BLOCK_N)
        ok = keys < n
        rows = keys.to(tl.int64)[:, None]
        k = tl.load(k_ptr + rows * k_stride + dims[None, :], mask=ok[:, None], other=0.0)
        s = tl.dot(q, k.trans(1, 0)) * scale
        s = tl.where(ok[None, :], s, -float("inf"))
        m, l, alpha, p = _softmax_step(m, l, s)
        v = tl.load(v_ptr + rows * v_stride + dims[None, :], mask=ok[:, None], other=0.0)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
    return acc / l[:, None]


@triton.jit
def attention_persistent(
    q_ptr, kv, o_ptr, q_stride, kv_strides, o_stride, n, scale,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    n_tiles = tl.cdiv(n, BLOCK_M)
    tile = tl.program_id(0)
    while tile < n_tiles:
        offs = tile.to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
        here = offs[:, None] < n
        dims = tl.arange(0, D)[None, :]
        q = tl.load(q_ptr + offs[:, None] * q_stride + dims, mask=here, other=0.0)
        o = _attend(q, kv, kv_strides, n, scale, BLOCK_M, BLOCK_N, D)
        tl.store(o_ptr + offs[:, None] * o_stride + dims, o.to(o_ptr.dtype.element_ty), mask=here)
        tile += tl.num_programs(0)


def flash_attention(q, k, v):
    n, d = q.shape
    o = torch.empty_like(q)
    if not o.numel():
        return o
    block_m, block_n = (64, 64) if q.element_size() == 2 else (32, 32)
    sms = torch.cuda.get_device_properties(q.device).multi_processor_count
    grid = (min(sms, triton.cdiv(n, block_m)),)
    attention_persistent[grid](
        q, (k, v), o, q.stride(0), (k.stride(0), v.stride(0)), o.stride(0), n, d**-0.5,
        D=d, BLOCK_M=block_m, BLOCK_N=block_n, num_warps=4,
    )  # fmt: skip
    return o
