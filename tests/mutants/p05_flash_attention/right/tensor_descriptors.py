"""Reads keys and values through tensor descriptors, which do the masking; unaligned rows are copied."""

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def attention_kernel(
    q_ptr, k_desc, v_desc, o_ptr, q_row_stride, o_row_stride, n, scale,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    rows = (tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M))[:, None]
    dims = tl.arange(0, D)[None, :]
    q = tl.load(q_ptr + rows * q_row_stride + dims, mask=rows < n, other=0.0)
    m = tl.full((BLOCK_M,), -float("inf"), tl.float32)
    l = tl.zeros((BLOCK_M,), tl.float32)
    acc = tl.zeros((BLOCK_M, D), tl.float32)
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
    tl.store(o_ptr + rows * o_row_stride + dims, acc / l[:, None], mask=rows < n)


def reference(q, k, v):
    return torch.softmax(q @ k.T * q.shape[1] ** -0.5, dim=1) @ v


def describe(t, rows):
    aligned = t.data_ptr() % 16 == 0 and t.stride(0) * t.element_size() % 16 == 0
    return TensorDescriptor.from_tensor(t if aligned else t.contiguous(), [rows, t.shape[1]])


def flash_attention(q, k, v):
    n, d = q.shape
    o = torch.empty_like(q)
    if o.numel() == 0:
        return o
    grid = (triton.cdiv(n, 32),)
    k_desc, v_desc = describe(k, 32), describe(v, 32)
    attention_kernel[grid](q, k_desc, v_desc, o, q.stride(0), o.stride(0), n, d**-0.5, D=d, BLOCK_M=32, BLOCK_N=32)
    return o
