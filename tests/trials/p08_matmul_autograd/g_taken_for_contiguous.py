"""The strides of g are made up from its shape: a g that is expanded or transposed is read wrongly."""

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


def launch(x, xs, y, ys, out, os, M, N, K):
    """out (M, N) = x (M, K) @ y (K, N), each with its pair of strides."""
    if M * N == 0:
        return
    grid = (triton.cdiv(M, 64), triton.cdiv(N, 64))
    dot_kernel[grid](x, y, out, M, N, K, *xs, *ys, *os, BLOCK_M=64, BLOCK_N=64, BLOCK_K=32)


def pair(t, transposed):
    s0, s1 = t.stride()
    return (s1, s0) if transposed else (s0, s1)


class Dot(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        ctx.save_for_backward(a, b)
        ctx.transposed = (transpose_a, transpose_b)
        K, M = a.shape if transpose_a else (a.shape[1], a.shape[0])
        N = b.shape[0] if transpose_b else b.shape[1]
        c = torch.empty((M, N), dtype=a.dtype, device=a.device)
        launch(a, pair(a, transpose_a), b, pair(b, transpose_b), c, c.stride(), M, N, K)
        return c

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        ta, tb = ctx.transposed
        M, N = g.shape
        K = a.shape[0] if ta else a.shape[1]
        da = db = None
        if ctx.needs_input_grad[0]:
            # (M, K) = (M, N) (N, K)
            da = torch.empty_like(a)
            launch(g, (N, 1), b, pair(b, not tb), da, pair(da, ta), M, K, N)
        if ctx.needs_input_grad[1]:
            # (K, N) = (K, M) (M, N)
            db = torch.empty_like(b)
            launch(a, pair(a, not ta), g, (N, 1), db, pair(db, tb), K, N, M)
        return da, db, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    return Dot.apply(a, b, transpose_a, transpose_b)
