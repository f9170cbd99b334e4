"""Never moves on along b.

Mistake at: a_ptrs += BLOCK_K * stride_ak
Code: wrong-values
"""

import torch
import triton
import triton.language as tl


@triton.jit
def int8_matmul_kernel(
    a_ptr,
    b_ptr,
    a_scale_ptr,
    b_scale_ptr,
    c_ptr,
    M,
    N,
    K,
    a_zero,
    stride_am,
    stride_ak,
    stride_bk,
    stride_bn,
    stride_cm,
    stride_cn,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + offs_m[:, None] * stride_am + offs_k[None, :] * stride_ak
    b_ptrs = b_ptr + offs_k[:, None] * stride_bk + offs_n[None, :] * stride_bn
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.int32)
    col_sum = tl.zeros((BLOCK_N,), dtype=tl.int32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        a = tl.load(a_ptrs, mask=(offs_m[:, None] < M) & (offs_k[None, :] < K - k * BLOCK_K), other=0)
        b = tl.load(b_ptrs, mask=(offs_k[:, None] < K - k * BLOCK_K) & (offs_n[None, :] < N), other=0)
        acc += tl.dot(a, b)
        col_sum += tl.sum(b.to(tl.int32), axis=0)
        a_ptrs += BLOCK_K * stride_ak
    a_s = tl.load(a_scale_ptr + offs_m, mask=offs_m < M, other=0.0)
    b_s = tl.load(b_scale_ptr + offs_n, mask=offs_n < N, other=0.0)
    acc = acc - a_zero * col_sum[None, :]
    c = acc.to(tl.float32) * a_s[:, None] * b_s[None, :]
    c_ptrs = c_ptr + offs_m[:, None] * stride_cm + offs_n[None, :] * stride_cn
    tl.store(c_ptrs, c, mask=(offs_m[:, None] < M) & (offs_n[None, :] < N))


def int8_matmul(a, b, a_scale, b_scale, a_zero):
    (M, K), (_, N) = a.shape, b.shape
    c = torch.empty((M, N), dtype=torch.float32, device=a.device)
    if M == 0 or N == 0:
        return c
    grid = (triton.cdiv(M, 32), triton.cdiv(N, 32))
    int8_matmul_kernel[grid](
        a,
        b,
        a_scale,
        b_scale,
        c,
        M,
        N,
        K,
        a_zero,
        *a.stride(),
        *b.stride(),
        *c.stride(),
        BLOCK_M=32,
        BLOCK_N=32,
        BLOCK_K=64,
    )
    return c
