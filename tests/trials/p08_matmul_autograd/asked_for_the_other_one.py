"""needs_input_grad is unpacked in the wrong order: each gradient is computed if the other one is asked for."""

import torch
import triton
import triton.language as tl

def reference(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    x, y = (a.T if transpose_a else a), (b.T if transpose_b else b)
    return (x.float() @ y.float()).to(a.dtype)


@triton.jit
def dot_kernel(
    x_ptr, y_ptr, out_ptr, M, N, K,
    stride_xm, stride_xk, stride_yk, stride_yn, stride_om, stride_on,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    # one-dimensional grid, row by row
    pid = tl.program_id(0)
    per_row = tl.cdiv(N, BLOCK_N)
    i = (pid // per_row * BLOCK_M + tl.arange(0, BLOCK_M)).to(tl.int64)
    j = (pid % per_row * BLOCK_N + tl.arange(0, BLOCK_N)).to(tl.int64)

    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for step in range(tl.cdiv(K, BLOCK_K)):
        k = step * BLOCK_K + tl.arange(0, BLOCK_K).to(tl.int64)
        xs = tl.load(
            x_ptr + i[:, None] * stride_xm + k[None, :] * stride_xk,
            mask=(i < M)[:, None] & (k < K)[None, :], other=0.0,
        )
        ys = tl.load(
            y_ptr + k[:, None] * stride_yk + j[None, :] * stride_yn,
            mask=(k < K)[:, None] & (j < N)[None, :], other=0.0,
        )
        total += tl.dot(xs, ys)
    tl.store(
        out_ptr + i[:, None] * stride_om + j[None, :] * stride_on,
        total.to(out_ptr.dtype.element_ty),
        mask=(i < M)[:, None] & (j < N)[None, :],
    )


def multiply(x, y, out):
    M, K = x.shape
    _, N = y.shape
    if M * N > 0:
        grid = (triton.cdiv(M, 64) * triton.cdiv(N, 64),)
        dot_kernel[grid](
            x, y, out, M, N, K,
            x.stride(0), x.stride(1), y.stride(0), y.stride(1), out.stride(0), out.stride(1),
            BLOCK_M=64, BLOCK_N=64, BLOCK_K=64,
        )
    return out


class Dot(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        ctx.save_for_backward(a, b)
        ctx.transpose_a, ctx.transpose_b = transpose_a, transpose_b
        x = a.t() if transpose_a else a
        y = b.t() if transpose_b else b
        return multiply(x, y, a.new_empty((x.shape[0], y.shape[1])))

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        want_b, want_a, *_ = ctx.needs_input_grad
        x = a.t() if ctx.transpose_a else a
        y = b.t() if ctx.transpose_b else b
        da, db = None, None
        if want_a:
            da = torch.empty_like(a)
            multiply(g, y.t(), da.t() if ctx.transpose_a else da)
        if want_b:
            db = torch.empty_like(b)
            multiply(x.t(), g, db.t() if ctx.transpose_b else db)
        return da, db, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    return Dot.apply(a, b, transpose_a, transpose_b)
