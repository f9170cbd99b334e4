"""Trainable matrix product with an autotuned kernel."""

import torch
import triton
import triton.language as tl


def reference(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    x, y = (a.T if transpose_a else a), (b.T if transpose_b else b)
    return (x.float() @ y.float()).to(a.dtype)


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32}, num_warps=4, num_stages=4),
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 64, "BLOCK_K": 64}, num_warps=4, num_stages=3),
    ],
    key=["M", "N", "K"],
)
@triton.jit
def dot_kernel(
    x_ptr, y_ptr, out_ptr, M, N, K, stride_xm, stride_xk, stride_yk, stride_yn, stride_om, stride_on,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    tiles_n = tl.cdiv(N, BLOCK_N)
    r = (tl.program_id(0) // tiles_n).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    c = (tl.program_id(0) % tiles_n).to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    d = tl.arange(0, BLOCK_K).to(tl.int64)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for at in range(0, K, BLOCK_K):
        here = (at + d) < K
        x = tl.load(
            x_ptr + r[:, None] * stride_xm + (at + d)[None, :] * stride_xk,
            mask=(r < M)[:, None] & here[None, :],
            other=0.0,
        )
        y = tl.load(
            y_ptr + (at + d)[:, None] * stride_yk + c[None, :] * stride_yn,
            mask=here[:, None] & (c < N)[None, :],
            other=0.0,
        )
        total = tl.dot(x, y, total)
    tl.store(
        out_ptr + r[:, None] * stride_om + c[None, :] * stride_on, total, mask=(r < M)[:, None] & (c < N)[None, :]
    )


def multiply(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    (M, K), (_, N) = x.shape, y.shape
    if out.numel() == 0:
        return out

    def grid(meta):
        return (triton.cdiv(M, meta["BLOCK_M"]) * triton.cdiv(N, meta["BLOCK_N"]),)

    dot_kernel[grid](x, y, out, M, N, K, *x.stride(), *y.stride(), *out.stride())
    return out


class Dot(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        ctx.save_for_backward(a, b)
        ctx.flags = (transpose_a, transpose_b)
        x, y = (a.T if transpose_a else a), (b.T if transpose_b else b)
        return multiply(x, y, a.new_empty((x.shape[0], y.shape[1])))

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        transpose_a, transpose_b = ctx.flags
        x, y = (a.T if transpose_a else a), (b.T if transpose_b else b)
        da = db = None
        if g.numel() == 0:
            return torch.empty_like(a), torch.empty_like(b), None, None
        want_a = want_b = any(ctx.needs_input_grad[:2])
        if want_a:
            da = torch.empty_like(a)
            multiply(g, y.T, da.T if transpose_a else da)
        if want_b:
            db = torch.empty_like(b)
            multiply(x.T, g, db.T if transpose_b else db)
        return da, db, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    return Dot.apply(a, b, transpose_a, transpose_b)
