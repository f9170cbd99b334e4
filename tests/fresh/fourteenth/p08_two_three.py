"""Matrix product with gradients: one kernel forwards, one for each gradient."""

import torch
import triton
import triton.language as tl

T = 64  # rows and columns of a tile of a result
S = 32  # products in one iteration


@triton.jit
def forward_kernel(
    x, y, c, M, N, K, xm, xk, yk, yn, cm, cn, T: tl.constexpr, S: tl.constexpr
):
    wide = tl.cdiv(N, T)
    m = (tl.program_id(0) // wide).to(tl.int64) * T + tl.arange(0, T)
    n = (tl.program_id(0) % wide).to(tl.int64) * T + tl.arange(0, T)
    acc = tl.zeros((T, T), tl.float32)
    for start in range(0, K, S):
        k = start + tl.arange(0, S).to(tl.int64)
        xt = tl.load(x + m[:, None] * xm + k[None, :] * xk, mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
        yt = tl.load(y + k[:, None] * yk + n[None, :] * yn, mask=(k[:, None] < K) & (n[None, :] < N), other=0.0)
        acc = tl.dot(xt, yt, acc)
    tl.store(c + m[:, None] * cm + n[None, :] * cn, acc, mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def left_kernel(
    g, y, dx, M, N, K, gm, gn, yk, yn, dm, dk, T: tl.constexpr, S: tl.constexpr
):
    """dx[m, k] = sum over n of g[m, n] y[k, n]"""
    wide = tl.cdiv(K, T)
    m = (tl.program_id(0) // wide).to(tl.int64) * T + tl.arange(0, T)
    k = (tl.program_id(0) % wide).to(tl.int64) * T + tl.arange(0, T)
    acc = tl.zeros((T, T), tl.float32)
    for start in range(0, K, S):
        n = start + tl.arange(0, S).to(tl.int64)
        gt = tl.load(g + m[:, None] * gm + n[None, :] * gn, mask=(m[:, None] < M) & (n[None, :] < N), other=0.0)
        yt = tl.load(y + n[:, None] * yn + k[None, :] * yk, mask=(n[:, None] < N) & (k[None, :] < K), other=0.0)
        acc = tl.dot(gt, yt, acc)
    tl.store(dx + m[:, None] * dm + k[None, :] * dk, acc, mask=(m[:, None] < M) & (k[None, :] < K))


@triton.jit
def right_kernel(
    x, g, dy, M, N, K, xm, xk, gm, gn, dk, dn, T: tl.constexpr, S: tl.constexpr
):
    """dy[k, n] = sum over m of x[m, k] g[m, n]"""
    wide = tl.cdiv(N, T)
    k = (tl.program_id(0) // wide).to(tl.int64) * T + tl.arange(0, T)
    n = (tl.program_id(0) % wide).to(tl.int64) * T + tl.arange(0, T)
    acc = tl.zeros((T, T), tl.float32)
    for start in range(0, M, S):
        m = start + tl.arange(0, S)
        xt = tl.load(x + k[:, None] * xk + m[None, :] * xm, mask=(k[:, None] < K) & (m[None, :] < M), other=0.0)
        gt = tl.load(g + m[:, None] * gm + n[None, :] * gn, mask=(m[:, None] < M) & (n[None, :] < N), other=0.0)
        acc = tl.dot(xt, gt, acc)
    tl.store(dy + k[:, None] * dk + n[None, :] * dn, acc, mask=(k[:, None] < K) & (n[None, :] < N))


def execute(kernel, first, second, result, sizes):
    """Launch a kernel with one program for each tile of its result."""
    if result.numel():
        programs = triton.cdiv(result.shape[0], T) * triton.cdiv(result.shape[1], T)
        strides = (*first.stride(), *second.stride(), *result.stride())
        kernel[(programs,)](first, second, result, *sizes, *strides, T=T, S=S, num_warps=4)


class TripleKernelDot(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, ta, tb):
        ctx.save_for_backward(a, b)
        x, y = (a.T if ta else a), (b.T if tb else b)
        ctx.ta, ctx.tb, ctx.sizes = ta, tb, (x.shape[0], y.shape[1], x.shape[1])
        c = torch.empty(ctx.sizes[:2], dtype=a.dtype, device=a.device)
        execute(forward_kernel, x, y, c, ctx.sizes)
        return c

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        da, db = None, None
        if ctx.needs_input_grad[0]:
            da = torch.empty_like(a)
            execute(left_kernel, g, b.T if ctx.tb else b, da.T if ctx.ta else da, ctx.sizes)
        if ctx.needs_input_grad[1]:
            db = torch.empty_like(b)
            execute(right_kernel, a.T if ctx.ta else a, g, db.T if ctx.tb else db, ctx.sizes)
        return da, db, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    return TripleKernelDot.apply(a, b, transpose_a, transpose_b)
