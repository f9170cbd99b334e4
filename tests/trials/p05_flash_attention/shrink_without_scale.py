"""The scale is missing in the factor: `shrink = tl.exp(biggest - higher)`"""

import torch
import triton
import triton.language as tl


# %%
def reference(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Return softmax(q kᵀ / sqrt(d)) v.

    q, k, v: (n, d) float32, float16 or bfloat16
    returns: (n, d), dtype of q
    """
    return torch.softmax(q @ k.T * q.shape[1] ** -0.5, dim=1) @ v


# %%
@triton.jit
def attention_kernel(
    q_ptr,  # queries, (n, D)
    k_ptr,  # keys, (n, D), same dtype
    v_ptr,  # values, (n, D), same dtype
    o_ptr,  # output, (n, D), same dtype
    q_row_stride,  # elements from one row of q to the next, at least D
    k_row_stride,
    v_row_stride,
    o_row_stride,
    n,  # queries, and keys, at least 1
    scale,  # 1 / sqrt(D)
    D: tl.constexpr,  # columns: 16, 32, 64 or 128
    BLOCK_M: tl.constexpr,  # queries of a program, a power of two
    BLOCK_N: tl.constexpr,  # keys of a tile, a power of two
):
    """Write the attention output of BLOCK_M queries, walking over all keys and values."""
    rows = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, D)
    cols = tl.arange(0, BLOCK_N).to(tl.int64)
    inside = rows[:, None] < n
    q = tl.load(q_ptr + rows[:, None] * q_row_stride + d[None, :], mask=inside, other=0.0)
    k_ptrs = k_ptr + cols[:, None] * k_row_stride + d[None, :]
    v_ptrs = v_ptr + cols[:, None] * v_row_stride + d[None, :]
    biggest = tl.full((BLOCK_M,), -float("inf"), tl.float32)
    weight = tl.zeros((BLOCK_M,), tl.float32)
    acc = tl.zeros((BLOCK_M, D), tl.float32)
    for j in range(0, n, BLOCK_N):
        there = j + cols < n
        k = tl.load(k_ptrs, mask=there[:, None], other=0.0)
        v = tl.load(v_ptrs, mask=there[:, None], other=0.0)
        raw = tl.dot(q, tl.trans(k), input_precision="ieee")
        raw = tl.where(there[None, :], raw, -float("inf"))
        # maxima of the unscaled scores, the scale goes into the exponent
        higher = tl.maximum(biggest, tl.max(raw, axis=1))
        shrink = tl.exp(biggest - higher)
        p = tl.exp((raw - higher[:, None]) * scale)
        weight = weight * shrink + tl.sum(p, axis=1)
        acc = acc * shrink[:, None] + tl.dot(p.to(v.dtype), v, input_precision="ieee")
        biggest = higher
        k_ptrs += BLOCK_N * k_row_stride
        v_ptrs += BLOCK_N * v_row_stride
    acc = acc / weight[:, None]
    tl.store(o_ptr + rows[:, None] * o_row_stride + d[None, :], acc, mask=inside)


# %%
def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Launch one program per BLOCK_M queries.

    q, k, v: (n, d) float32, float16 or bfloat16, d in 16, 32, 64, 128, last dimension contiguous
    returns: (n, d), dtype of q
    """
    n, d = q.shape
    o = torch.empty_like(q)
    if o.numel() == 0:
        return o
    BLOCK_M, BLOCK_N = (64, 64) if q.element_size() == 2 else (32, 32)
    grid = (triton.cdiv(n, BLOCK_M),)
    strides = (q.stride(0), k.stride(0), v.stride(0), o.stride(0))
    attention_kernel[grid](q, k, v, o, *strides, n, d**-0.5, D=d, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, num_warps=4)
    return o
