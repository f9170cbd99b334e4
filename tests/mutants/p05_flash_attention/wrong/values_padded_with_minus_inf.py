"""Loads the values past the end as -inf.

Code: masked-lanes-as-inf
Mistake at: v_tile = tl.load(v_ptrs
"""

import torch
import triton
import triton.language as tl


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
    pid = tl.program_id(0).to(tl.int64)
    offs_m = pid * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N).to(tl.int64)
    offs_d = tl.arange(0, D)
    q_ptrs = q_ptr + offs_m[:, None] * q_row_stride + offs_d[None, :]
    k_ptrs = k_ptr + offs_n[:, None] * k_row_stride + offs_d[None, :]
    v_ptrs = v_ptr + offs_n[:, None] * v_row_stride + offs_d[None, :]
    o_ptrs = o_ptr + offs_m[:, None] * o_row_stride + offs_d[None, :]
    q_tile = tl.load(q_ptrs, mask=offs_m[:, None] < n, other=0.0)

    row_max = tl.full((BLOCK_M,), -float("inf"), tl.float32)
    denom = tl.zeros((BLOCK_M,), tl.float32)
    acc = tl.zeros((BLOCK_M, D), tl.float32)
    for start in range(0, n, BLOCK_N):
        ok = (start + offs_n) < n
        k_tile = tl.load(k_ptrs, mask=ok[:, None], other=0.0)
        v_tile = tl.load(v_ptrs, mask=ok[:, None], other=-float("inf"))
        scores = tl.dot(q_tile, tl.trans(k_tile), input_precision="ieee")
        scores = scores * scale
        scores = tl.where(ok[None, :], scores, -float("inf"))
        new_max = tl.maximum(row_max, tl.max(scores, axis=1))
        factor = tl.exp(row_max - new_max)
        weights = tl.exp(scores - new_max[:, None])
        denom = denom * factor + tl.sum(weights, axis=1)
        acc = acc * factor[:, None]
        acc += tl.dot(weights.to(v_tile.dtype), v_tile, input_precision="ieee")
        row_max = new_max
        k_ptrs += BLOCK_N * k_row_stride
        v_ptrs += BLOCK_N * v_row_stride

    out = acc / denom[:, None]
    tl.store(o_ptrs, out, mask=offs_m[:, None] < n)


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
