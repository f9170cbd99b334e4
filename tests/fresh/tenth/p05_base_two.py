"""FlashAttention in base two: scale and log2(e) are one factor."""

import torch
import triton
import triton.language as tl


def reference(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return torch.softmax(q @ k.T * q.shape[1] ** -0.5, dim=1) @ v


@triton.jit
def attention_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    o_ptr,
    q_row_stride,
    k_row_stride,
    v_row_stride,
    o_row_stride,
    n,
    units,  # log2(e) / sqrt(D)
    D: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    first = tl.program_id(0).to(tl.int64) * BLOCK_M
    rows = first + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, D)
    q = tl.load(q_ptr + rows[:, None] * q_row_stride + dims[None, :], mask=rows[:, None] < n, other=0.0)

    m = tl.full((BLOCK_M,), -float("inf"), tl.float32)
    l = tl.zeros((BLOCK_M,), tl.float32)
    acc = tl.zeros((BLOCK_M, D), tl.float32)
    for j in range(tl.cdiv(n, BLOCK_N)):
        keys = tl.arange(0, BLOCK_N).to(tl.int64) + j * BLOCK_N
        k = tl.load(k_ptr + keys[:, None] * k_row_stride + dims[None, :], mask=keys[:, None] < n, other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee")
        s = tl.where(keys[None, :] < n, s, -float("inf"))
        m_new = tl.maximum(m, tl.max(s, axis=1))
        alpha = tl.exp2(m - m_new)
        p = tl.exp2(s * units - m_new[:, None])
        l = l * alpha + tl.sum(p, axis=1)
        v = tl.load(v_ptr + keys[:, None] * v_row_stride + dims[None, :], mask=keys[:, None] < n, other=0.0)
        acc = tl.dot(p.to(v.dtype), v, acc * alpha[:, None], input_precision="ieee")
        m = m_new

    o = acc * (1.0 / l)[:, None]
    tl.store(o_ptr + rows[:, None] * o_row_stride + dims[None, :], o, mask=rows[:, None] < n)


def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    n, d = q.shape
    o = torch.empty_like(q)
    if o.numel() == 0:
        return o
    BLOCK_M, BLOCK_N = (64, 64) if q.element_size() == 2 else (32, 32)
    grid = (triton.cdiv(n, BLOCK_M),)
    strides = (q.stride(0), k.stride(0), v.stride(0), o.stride(0))
    units = d**-0.5 * 1.4426950408889634
    attention_kernel[grid](q, k, v, o, *strides, n, units, D=d, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, num_warps=4)
    return o
