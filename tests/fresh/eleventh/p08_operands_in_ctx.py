"""A matrix product that can be trained, with an autotuner; ctx keeps the two factors as they were multiplied."""

import torch
import triton
import triton.language as tl


def reference(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    """Return x @ y for x = a or a.T, y = b or b.T, computed in float32."""
    x, y = (a.T if transpose_a else a), (b.T if transpose_b else b)
    return (x.float() @ y.float()).to(a.dtype)


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32}, num_warps=4, num_stages=3),
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 64, "BLOCK_K": 64}, num_warps=4, num_stages=3),
    ],
    key=["M", "N", "K"],
)
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
    tiles_n = tl.cdiv(N, BLOCK_N)
    pid_m = tl.program_id(0) // tiles_n
    pid_n = tl.program_id(0) % tiles_n
    rows = pid_m.to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = pid_n.to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    ks = tl.arange(0, BLOCK_K).to(tl.int64)
    x_ptrs = x_ptr + rows[:, None] * stride_xm + ks[None, :] * stride_xk
    y_ptrs = y_ptr + ks[:, None] * stride_yk + cols[None, :] * stride_yn
    step = tl.full((), BLOCK_K, tl.int64)

    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for i in range(tl.cdiv(K, BLOCK_K)):
        left = K - i * BLOCK_K
        x = tl.load(x_ptrs, mask=(rows[:, None] < M) & (ks[None, :] < left), other=0.0)
        y = tl.load(y_ptrs, mask=(ks[:, None] < left) & (cols[None, :] < N), other=0.0)
        acc += tl.dot(x, y)
        x_ptrs += step * stride_xk
        y_ptrs += step * stride_yk

    out_ptrs = out_ptr + rows[:, None] * stride_om + cols[None, :] * stride_on
    tl.store(out_ptrs, acc, mask=(rows[:, None] < M) & (cols[None, :] < N))


def multiply(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """Write x @ y to out."""
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
        x = a.T if transpose_a else a
        y = b.T if transpose_b else b
        ctx.factors = x, y
        ctx.transposed = transpose_a, transpose_b
        return multiply(x, y, torch.empty((x.shape[0], y.shape[1]), dtype=a.dtype, device=a.device))

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.factors
        ctx.factors = None
        a_transposed, b_transposed = ctx.transposed
        da = db = None
        if ctx.needs_input_grad[0]:
            da = torch.empty_like(x.T if a_transposed else x)
            multiply(g, y.T, da.T if a_transposed else da)
        if ctx.needs_input_grad[1]:
            db = torch.empty_like(y.T if b_transposed else y)
            multiply(x.T, g, db.T if b_transposed else db)
        return da, db, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    """Return x @ y, (M, N), for x = a or a.T, y = b or b.T; differentiable."""
    return Dot.apply(a, b, transpose_a, transpose_b)
