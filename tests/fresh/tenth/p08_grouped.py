"""Trainable matrix product; tiles in groups of 8 rows."""

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
    GROUP: tl.constexpr,
):
    tiles_m, tiles_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    pid = tl.program_id(0)
    first = pid // (GROUP * tiles_n) * GROUP
    height = min(tiles_m - first, GROUP)
    inside = pid % (GROUP * tiles_n)
    rows = (first + inside % height).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = (inside // height).to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    ks = tl.arange(0, BLOCK_K).to(tl.int64)

    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        left = K - start
        x_at = x_ptr + rows[:, None] * stride_xm + (start + ks)[None, :] * stride_xk
        y_at = y_ptr + (start + ks)[:, None] * stride_yk + cols[None, :] * stride_yn
        x = tl.load(x_at, mask=(rows[:, None] < M) & (ks[None, :] < left), other=0.0)
        y = tl.load(y_at, mask=(ks[:, None] < left) & (cols[None, :] < N), other=0.0)
        acc += tl.dot(x, y)
    out_at = out_ptr + rows[:, None] * stride_om + cols[None, :] * stride_on
    tl.store(out_at, acc, mask=(rows[:, None] < M) & (cols[None, :] < N))


def multiply(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    (M, K), (_, N) = x.shape, y.shape
    BLOCK_M = BLOCK_N = 64
    tiles = triton.cdiv(M, BLOCK_M) * triton.cdiv(N, BLOCK_N)
    if tiles:
        strides = (*x.stride(), *y.stride(), *out.stride())
        dot_kernel[(tiles,)](x, y, out, M, N, K, *strides, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, BLOCK_K=32, GROUP=8)
    return out


def room_for(ctx, name, like):
    """Return memory for a gradient."""
    if not hasattr(ctx, name):
        setattr(ctx, name, torch.empty_like(like))
    return getattr(ctx, name)


class Dot(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        ctx.save_for_backward(a, b)
        ctx.turned = transpose_a, transpose_b
        x = a.T if transpose_a else a
        y = b.T if transpose_b else b
        return multiply(x, y, torch.empty((x.shape[0], y.shape[1]), dtype=a.dtype, device=a.device))

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        transpose_a, transpose_b = ctx.turned
        da = db = None
        if ctx.needs_input_grad[0]:
            da = room_for(ctx, "da", a)
            y_t = b if transpose_b else b.T
            multiply(g, y_t, da.T if transpose_a else da)
        if ctx.needs_input_grad[1]:
            db = room_for(ctx, "db", b)
            x_t = a if transpose_a else a.T
            multiply(x_t, g, db.T if transpose_b else db)
        return da, db, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    return Dot.apply(a, b, transpose_a, transpose_b)
