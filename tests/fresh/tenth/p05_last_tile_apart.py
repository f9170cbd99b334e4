"""FlashAttention; whole tiles of keys go without a mask."""

import torch
import triton
import triton.language as tl


def reference(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return torch.softmax(q @ k.T * q.shape[1] ** -0.5, dim=1) @ v


@triton.jit
def turn(
    q, k_ptr, v_ptr, k_row_stride, v_row_stride, start, n, scale, m, l, acc,
    D: tl.constexpr, BLOCK_N: tl.constexpr, LAST: tl.constexpr,
):  # fmt: skip
    keys = (start + tl.arange(0, BLOCK_N)).to(tl.int64)
    feat = tl.arange(0, D)[None, :]
    k_at = k_ptr + keys[:, None] * k_row_stride + feat
    v_at = v_ptr + keys[:, None] * v_row_stride + feat
    if LAST:
        k = tl.load(k_at, mask=keys[:, None] < n, other=0.0)
        v = tl.load(v_at, mask=keys[:, None] < n, other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        s = tl.where(keys[None, :] < n, s, -float("inf"))
    else:
        k = tl.load(k_at)
        v = tl.load(v_at)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
    m_new = tl.maximum(m, tl.max(s, axis=1))
    alpha = tl.exp(m - m_new)
    p = tl.exp(s - m_new[:, None])
    l = l * alpha + tl.sum(p, axis=1)
    acc = tl.dot(p.to(v.dtype), v, acc * alpha[:, None], input_precision="ieee")
    return m_new, l, acc


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, o_ptr, q_row_stride, k_row_stride, v_row_stride, o_row_stride, n, scale,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    rows = (tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M))[:, None]
    feat = tl.arange(0, D)[None, :]
    q = tl.load(q_ptr + rows * q_row_stride + feat, mask=rows < n, other=0.0)
    m = tl.full((BLOCK_M,), -float("inf"), tl.float32)
    l = tl.zeros((BLOCK_M,), tl.float32)
    acc = tl.zeros((BLOCK_M, D), tl.float32)

    whole = n // BLOCK_N * BLOCK_N
    for start in range(0, whole, BLOCK_N):
        m, l, acc = turn(
            q, k_ptr, v_ptr, k_row_stride, v_row_stride, start, n, scale, m, l, acc, D, BLOCK_N, False
        )
    if whole < n:
        m, l, acc = turn(q, k_ptr, v_ptr, k_row_stride, v_row_stride, whole, n, scale, m, l, acc, D, BLOCK_N, True)
    tl.store(o_ptr + rows * o_row_stride + feat, acc / l[:, None], mask=rows < n)


def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    n, d = q.shape
    o = torch.empty_like(q)
    if o.numel() == 0:
        return o
    blocks = {"BLOCK_M": 128, "BLOCK_N": 256} if q.element_size() == 2 else {"BLOCK_M": 32, "BLOCK_N": 32}
    grid = (triton.cdiv(n, blocks["BLOCK_M"]),)
    strides = (q.stride(0), k.stride(0), v.stride(0), o.stride(0))
    attention_kernel[grid](q, k, v, o, *strides, n, d**-0.5, D=d, **blocks, num_warps=8, num_stages=1)
    return o
