"""FlashAttention, fp32 state, output in the dtype of q."""

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
    scale,
    D: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    i = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    c = tl.arange(0, D)
    q = tl.load(q_ptr + i[:, None] * q_row_stride + c[None, :], mask=i[:, None] < n, other=0.0)
    m = tl.full((BLOCK_M,), -float("inf"), tl.float32)
    l = tl.zeros((BLOCK_M,), tl.float32)
    acc = tl.zeros((BLOCK_M, D), tl.float32)
    for first in range(0, n, BLOCK_N):
        j = first + tl.arange(0, BLOCK_N).to(tl.int64)
        # k is loaded as (D, BLOCK_N) straight away
        kt = tl.load(k_ptr + j[None, :] * k_row_stride + c[:, None], mask=j[None, :] < n, other=0.0)
        s = tl.dot(q, kt, input_precision="ieee") * scale
        s = tl.where(j[None, :] < n, s, -float("inf"))
        new = tl.maximum(m, tl.max(s, axis=1))
        p = tl.exp(s - new[:, None])
        alpha = tl.exp(m - new)
        v = tl.load(v_ptr + j[:, None] * v_row_stride + c[None, :], mask=j[:, None] < n, other=0.0)
        acc = tl.dot(p.to(v.dtype), v, acc * alpha[:, None], input_precision="ieee")
        l = l * alpha + tl.sum(p, axis=1)
        m = new
    o = acc.to(q.dtype) / l[:, None].to(q.dtype)
    tl.store(o_ptr + i[:, None] * o_row_stride + c[None, :], o, mask=i[:, None] < n)


def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    n, d = q.shape
    o = torch.empty_like(q)
    if o.numel() == 0:
        return o
    half = q.element_size() == 2
    BLOCK_M, BLOCK_N = (128, 64) if half else (32, 32)
    strides = [t.stride(0) for t in (q, k, v, o)]
    attention_kernel[(triton.cdiv(n, BLOCK_M),)](
        q, k, v, o, *strides, n, d**-0.5, D=d, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, num_warps=8 if half else 4
    )
    return o
