"""A product of float32 matrices with the precision that `tl.dot` takes by itself.

Code: tf32
Mistake at: acc = tl.dot(a, b, acc
Reported: triton-lang/triton#6265
"""

import torch
import triton
import triton.language as tl


@triton.jit
def product_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    stride_am,
    stride_ak,
    stride_bk,
    stride_bn,
    stride_cm,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    rows = (tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)).to(tl.int64)
    cols = (tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)).to(tl.int64)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K).to(tl.int64)
        a_mask = (rows < M)[:, None] & (k < K)[None, :]
        b_mask = (k < K)[:, None] & (cols < N)[None, :]
        a = tl.load(a_ptr + rows[:, None] * stride_am + k[None, :] * stride_ak, mask=a_mask, other=0.0)
        b = tl.load(b_ptr + k[:, None] * stride_bk + cols[None, :] * stride_bn, mask=b_mask, other=0.0)
        acc = tl.dot(a, b, acc)
    mask = (rows < M)[:, None] & (cols < N)[None, :]
    tl.store(c_ptr + rows[:, None] * stride_cm + cols[None, :], acc.to(c_ptr.dtype.element_ty), mask=mask)


def run(a, b):
    (M, K), N = a.shape, b.shape[1]
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    product_kernel[(triton.cdiv(M, 32), triton.cdiv(N, 32))](
        a, b, c, M, N, K, *a.stride(), *b.stride(), c.stride(0), BLOCK_M=32, BLOCK_N=32, BLOCK_K=32
    )
    return c


def reference(a, b):
    return a @ b


def cases():
    return [dict(a=torch.randn(64, 96), b=torch.randn(96, 40))]
