"""A matrix product whose masks along K have no value for the lanes past the end.

Code: undefined-lane
Mistake at: a = tl.load(a_ptr
Reported: triton-lang/triton#630
"""

import torch
import triton
import triton.language as tl


@triton.jit
def product_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    rows = (tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)).to(tl.int64)
    cols = (tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)).to(tl.int64)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K).to(tl.int64)
        a_mask = (rows < M)[:, None] & (k < K)[None, :]
        b_mask = (k < K)[:, None] & (cols < N)[None, :]
        a = tl.load(a_ptr + rows[:, None] * K + k[None, :], mask=a_mask)
        b = tl.load(b_ptr + k[:, None] * N + cols[None, :], mask=b_mask)
        acc = tl.dot(a, b, acc, input_precision="ieee")
    mask = (rows < M)[:, None] & (cols < N)[None, :]
    tl.store(c_ptr + rows[:, None] * N + cols[None, :], acc.to(c_ptr.dtype.element_ty), mask=mask)


def run(a, b):
    a, b = a.contiguous(), b.contiguous()
    (M, K), N = a.shape, b.shape[1]
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    product_kernel[(triton.cdiv(M, 32), triton.cdiv(N, 32))](a, b, c, M, N, K, BLOCK_M=32, BLOCK_N=32, BLOCK_K=32)
    return c


def reference(a, b):
    return a @ b


def cases():
    return [dict(a=torch.randn(50, 41), b=torch.randn(41, 39))]
