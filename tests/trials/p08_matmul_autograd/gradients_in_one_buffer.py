"""The memory of the gradients is allocated once, in forward: a second backward through the same graph overwrites the gradients of the first."""

import torch
import triton
import triton.language as tl

def reference(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    x, y = (a.T if transpose_a else a), (b.T if transpose_b else b)
    return (x.float() @ y.float()).to(a.dtype)


@triton.jit
def dot_kernel(
    x_ptr,
    y_ptr,
    out_ptr,
    M,
    N,
    K,
    stride_xm,
    stride_xk,
    stride_yk,
    stride_yn,
    stride_om,
    stride_on,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    rows = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.program_id(1).to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        ks = start + tl.arange(0, BLOCK_K).to(tl.int64)
        x = tl.load(
            x_ptr + rows[:, None] * stride_xm + ks[None, :] * stride_xk,
            mask=(rows[:, None] < M) & (ks[None, :] < K),
            other=0.0,
        )
        y = tl.load(
            y_ptr + ks[:, None] * stride_yk + cols[None, :] * stride_yn,
            mask=(ks[:, None] < K) & (cols[None, :] < N),
            other=0.0,
        )
        acc = tl.dot(x, y, acc)
    tl.store(
        out_ptr + rows[:, None] * stride_om + cols[None, :] * stride_on,
        acc,
        mask=(rows[:, None] < M) & (cols[None, :] < N),
    )


def multiply(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """out = x @ y"""
    (M, K), (_, N) = x.shape, y.shape
    if out.numel():
        grid = (triton.cdiv(M, 64), triton.cdiv(N, 64))
        strides = (*x.stride(), *y.stride(), *out.stride())
        dot_kernel[grid](x, y, out, M, N, K, *strides, BLOCK_M=64, BLOCK_N=64, BLOCK_K=32)
    return out


class Dot(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        ctx.save_for_backward(a, b)
        ctx.transpose_a = transpose_a
        ctx.transpose_b = transpose_b
        # get the memory for backward now, so that backward has nothing to allocate
        ctx.da = torch.empty_like(a) if ctx.needs_input_grad[0] else None
        ctx.db = torch.empty_like(b) if ctx.needs_input_grad[1] else None
        x = a.T if transpose_a else a
        y = b.T if transpose_b else b
        out = torch.empty((x.shape[0], y.shape[1]), dtype=a.dtype, device=a.device)
        return multiply(x, y, out)

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        x = a.T if ctx.transpose_a else a
        y = b.T if ctx.transpose_b else b
        if ctx.needs_input_grad[0]:
            multiply(g, y.T, ctx.da.T if ctx.transpose_a else ctx.da)
        if ctx.needs_input_grad[1]:
            multiply(x.T, g, ctx.db.T if ctx.transpose_b else ctx.db)
        return ctx.da, ctx.db, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    return Dot.apply(a, b, transpose_a, transpose_b)
