"""Takes m - m_new for the factor, which is -inf in the first turn.

Code: wrong-values
Mistake at: alpha = m - m_new
"""

import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, o_ptr, q_row_stride, k_row_stride, v_row_stride, o_row_stride, n, scale,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    rows = (tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M))[:, None]
    dims = tl.arange(0, D)[None, :]
    q = tl.load(q_ptr + rows * q_row_stride + dims, mask=rows < n, other=0.0)
    m = tl.full((BLOCK_M,), -float("inf"), tl.float32)
    l = tl.zeros((BLOCK_M,), tl.float32)
    acc = tl.zeros((BLOCK_M, D), tl.float32)
    for start in range(0, n, BLOCK_N):
        keys = start + tl.arange(0, BLOCK_N).to(tl.int64)
        k = tl.load(k_ptr + keys[:, None] * k_row_stride + dims, mask=keys[:, None] < n, other=0.0)
        v = tl.load(v_ptr + keys[:, None] * v_row_stride + dims, mask=keys[:, None] < n, other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        s = tl.where(keys[None, :] < n, s, -float("inf"))
        m_new = tl.maximum(m, tl.max(s, axis=1))
        alpha = m - m_new
        p = tl.exp(s - m_new[:, None])
        l = l * alpha + tl.sum(p, axis=1)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v, input_precision="ieee")
        m = m_new
    tl.store(o_ptr + rows * o_row_stride + dims, acc / l[:, None], mask=rows < n)


def reference(q, k, v):
    return torch.softmax(q @ k.T * q.shape[1] ** -0.5, dim=1) @ v


def flash_attention(q, k, v):
    n, d = q.shape
    o = torch.empty_like(q)
    if o.numel() == 0:
        return o
    strides = (q.stride(0), k.stride(0), v.stride(0), o.stride(0))
    grid = (triton.cdiv(n, 32),)
    attention_kernel[grid](q, k, v, o, *strides, n, d**-0.5, D=d, BLOCK_M=32, BLOCK_N=32)
    return o
