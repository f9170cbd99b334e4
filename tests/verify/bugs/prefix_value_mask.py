"""Attention over a prefix of keys: values past the end are loaded without a value, and a weight of 0 does not hide
NaN.

Code: undefined-lane
Mistake at: v = tl.load(v_ptr
Reported: vllm-project/vllm#9014
"""

import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, o_ptr, n_q, n_k, scale, D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr
):
    head = tl.program_id(1).to(tl.int64)
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, D)
    q_ptrs = q_ptr + (head * n_q + rows[:, None]) * D + d[None, :]
    q = tl.load(q_ptrs, mask=(rows < n_q)[:, None], other=0.0)
    m = tl.full((BLOCK_M,), -float("inf"), dtype=tl.float32)
    l = tl.zeros((BLOCK_M,), dtype=tl.float32)
    acc = tl.zeros((BLOCK_M, D), dtype=tl.float32)
    for start in range(0, n_k, BLOCK_N):
        keys = start + tl.arange(0, BLOCK_N)
        inside = keys < n_k
        k = tl.load(k_ptr + (head * n_k + keys[None, :]) * D + d[:, None], mask=inside[None, :], other=0.0)
        s = tl.where(inside[None, :], tl.dot(q, k, input_precision="ieee") * scale, -float("inf"))
        m_new = tl.maximum(m, tl.max(s, axis=1))
        alpha = tl.exp(m - m_new)
        p = tl.exp(s - m_new[:, None])
        v = tl.load(v_ptr + (head * n_k + keys[:, None]) * D + d[None, :], mask=inside[:, None])
        acc = tl.dot(p.to(v.dtype), v, acc * alpha[:, None], input_precision="ieee")
        l = l * alpha + tl.sum(p, axis=1)
        m = m_new
    o_ptrs = o_ptr + (head * n_q + rows[:, None]) * D + d[None, :]
    tl.store(o_ptrs, (acc / l[:, None]).to(o_ptr.dtype.element_ty), mask=(rows < n_q)[:, None])


def run(q, k, v):
    q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
    heads, n_q, D = q.shape
    o = torch.empty_like(q)
    attention_kernel[(triton.cdiv(n_q, 16), heads)](q, k, v, o, n_q, k.shape[1], D**-0.5, D=D, BLOCK_M=16, BLOCK_N=32)
    return o


def reference(q, k, v):
    return torch.softmax(q @ k.transpose(1, 2) * q.shape[2] ** -0.5, dim=2) @ v


def cases():
    return [dict(q=torch.randn(2, 20, 16), k=torch.randn(2, 45, 16), v=torch.randn(2, 45, 16))]


OPTIONS = dict(vary=False)
