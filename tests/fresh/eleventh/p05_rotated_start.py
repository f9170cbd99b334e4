"""Attention whose programs begin at different keys, so that they do not all ask for the same tile at once."""

import torch
import triton
import triton.language as tl


def reference(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Return softmax(q kᵀ / sqrt(d)) v."""
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
    scale,
    D: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    pid = tl.program_id(0)
    rows = pid.to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, D)
    row_mask = rows[:, None] < n
    q = tl.load(q_ptr + rows[:, None] * q_row_stride + dims[None, :], mask=row_mask, other=0.0)

    m = tl.full((BLOCK_M,), -float("inf"), tl.float32)
    l = tl.zeros((BLOCK_M,), tl.float32)
    acc = tl.zeros((BLOCK_M, D), tl.float32)
    tiles = tl.cdiv(n, BLOCK_N)
    for i in range(tiles):
        start = ((pid + i) * BLOCK_N) % n  # round the circle once
        keys = start + tl.arange(0, BLOCK_N).to(tl.int64)
        there = keys < n
        k = tl.load(k_ptr + keys[:, None] * k_row_stride + dims[None, :], mask=there[:, None], other=0.0)
        v = tl.load(v_ptr + keys[:, None] * v_row_stride + dims[None, :], mask=there[:, None], other=0.0)
        s = tl.where(there[None, :], tl.dot(q, tl.trans(k), input_precision="ieee"), -float("inf"))

        m_old = m
        m = tl.maximum(m_old, tl.max(s, axis=1))
        p = tl.exp((s - m[:, None]) * scale)
        alpha = tl.exp((m_old - m) * scale)
        l = l * alpha + tl.sum(p, axis=1)
        acc = tl.dot(p.to(v.dtype), v, acc * alpha[:, None], input_precision="ieee")

    tl.store(o_ptr + rows[:, None] * o_row_stride + dims[None, :], acc / l[:, None], mask=row_mask)


def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    n, d = q.shape
    o = torch.empty_like(q)
    if o.numel() == 0:
        return o
    BLOCK_M, BLOCK_N = (64, 64) if q.element_size() == 2 else (32, 32)
    grid = (triton.cdiv(n, BLOCK_M),)
    strides = (q.stride(0), k.stride(0), v.stride(0), o.stride(0))
    attention_kernel[grid](q, k, v, o, *strides, n, d**-0.5, D=d, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, num_warps=4)
    return o
