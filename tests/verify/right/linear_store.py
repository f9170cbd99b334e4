"""A linear layer whose loads wrap around and whose store is masked."""

import torch
import triton
import triton.language as tl


@triton.jit
def linear_kernel(
    x_ptr,
    w_ptr,
    bias_ptr,
    c_ptr,
    M,
    N,
    K,
    stride_xm,
    stride_wn,
    stride_cm,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    ram, rbn = (rm % M).to(tl.int64), (rn % N).to(tl.int64)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        inside = rk + k < K
        x = tl.load(x_ptr + ram[:, None] * stride_xm + rk[None, :] + k, mask=inside[None, :], other=0.0)
        w = tl.load(w_ptr + rbn[None, :] * stride_wn + rk[:, None] + k, mask=inside[:, None], other=0.0)
        acc = tl.dot(x, w, acc, input_precision="ieee")
    acc += tl.load(bias_ptr + rbn)[None, :]
    mask = (rm < M)[:, None] & (rn < N)[None, :]
    c_ptrs = c_ptr + rm[:, None].to(tl.int64) * stride_cm + rn[None, :]
    tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=mask)


def run(x, weight, bias):
    x, weight = x.contiguous(), weight.contiguous()
    (M, K), N = x.shape, weight.shape[0]
    c = torch.empty((M, N), dtype=x.dtype, device=x.device)
    grid = triton.cdiv(M, 32), triton.cdiv(N, 32)
    linear_kernel[grid](
        x, weight, bias, c, M, N, K, x.stride(0), weight.stride(0), c.stride(0), BLOCK_M=32, BLOCK_N=32, BLOCK_K=32
    )
    return c


def reference(x, weight, bias):
    return torch.nn.functional.linear(x, weight, bias)


def cases():
    return [dict(x=torch.randn(50, 64), weight=torch.randn(40, 64), bias=torch.randn(40))]
