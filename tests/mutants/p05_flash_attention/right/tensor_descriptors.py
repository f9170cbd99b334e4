"""Reads and writes through tensor descriptors, which do the masking; rows are made contiguous for them."""

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def attention_kernel(q_desc, k_desc, v_desc, o_desc, n, scale, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    row = tl.program_id(0) * BLOCK_M
    q = q_desc.load([row, 0])
    m = tl.full((BLOCK_M,), -float("inf"), tl.float32)
    l = tl.zeros((BLOCK_M,), tl.float32)
    acc = tl.zeros(q.shape, tl.float32)
    for start in range(0, n, BLOCK_N):
        k = k_desc.load([start, 0])
        v = v_desc.load([start, 0])
        s = tl.dot(q, k.T, input_precision="ieee") * scale
        s = tl.where((start + tl.arange(0, BLOCK_N))[None, :] < n, s, -float("inf"))
        m_new = tl.maximum(m, tl.max(s, axis=1))
        alpha = tl.exp(m - m_new)
        p = tl.exp(s - m_new[:, None])
        l = l * alpha + tl.sum(p, axis=1)
        acc = tl.dot(p.to(v.dtype), v, acc * alpha[:, None], input_precision="ieee")
        m = m_new
    o_desc.store([row, 0], (acc / l[:, None]).to(q.dtype))


def reference(q, k, v):
    return torch.softmax(q @ k.T * q.shape[1] ** -0.5, dim=1) @ v


def flash_attention(q, k, v):
    n, d = q.shape
    o = torch.empty((n, d), dtype=q.dtype, device=q.device)
    if o.numel() == 0:
        return o
    descriptors = [TensorDescriptor.from_tensor(t.contiguous(), [32, d]) for t in (q, k, v, o)]
    attention_kernel[(triton.cdiv(n, 32),)](*descriptors, n, d**-0.5, BLOCK_M=32, BLOCK_N=32)
    return o
