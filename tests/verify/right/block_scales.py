"""A matrix in blocks of 32 with a scale each, all loads masked."""

import torch
import triton
import triton.language as tl


@triton.jit
def scaled_product_kernel(
    x_ptr,
    w_ptr,
    s_ptr,
    y_ptr,
    N,
    K,
    x_row_stride,
    w_row_stride,
    s_row_stride,
    GROUP: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_G: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_N,), dtype=tl.float32)
    for first in range(0, tl.cdiv(K, GROUP), BLOCK_G):
        groups = first + tl.arange(0, BLOCK_G)
        s_mask = (n < N)[:, None] & (groups * GROUP < K)[None, :]
        scales = tl.load(s_ptr + n[:, None].to(tl.int64) * s_row_stride + groups[None, :], mask=s_mask, other=0.0)
        k = groups[:, None] * GROUP + tl.arange(0, GROUP)[None, :]
        x = tl.load(x_ptr + row * x_row_stride + k, mask=k < K, other=0.0)
        w_ptrs = w_ptr + n[:, None, None].to(tl.int64) * w_row_stride + k[None]
        w = tl.load(w_ptrs, mask=(n < N)[:, None, None] & (k < K)[None], other=0)
        parts = tl.sum(w.to(tl.float32) * x[None], axis=2)
        acc += tl.sum(tl.where(s_mask, parts * scales, 0.0), axis=1)
    tl.store(y_ptr + row * N + n, acc, mask=n < N)


def run(x, w, scales):
    x, w, scales = x.contiguous(), w.contiguous(), scales.contiguous()
    M, N, K = x.shape[0], w.shape[0], x.shape[1]
    y = torch.empty((M, N), dtype=torch.float32, device=x.device)
    scaled_product_kernel[(M, triton.cdiv(N, 8))](
        x, w, scales, y, N, K, x.stride(0), w.stride(0), scales.stride(0), GROUP=32, BLOCK_N=8, BLOCK_G=2
    )
    return y


def reference(x, w, scales):
    full = scales.repeat_interleave(32, dim=1)[:, : x.shape[1]]
    return x @ (w.to(x.dtype) * full).T


def cases():
    w = torch.randint(-7, 8, (20, 96), dtype=torch.int8)
    return [dict(x=torch.randn(3, 96), w=w, scales=torch.rand(20, 3))]


OPTIONS = dict(vary=False)
