"""A matrix product that can be trained; persistent programs, and a list of what backward has to do."""

import torch
import triton
import triton.language as tl


def reference(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    """Return x @ y for x = a or a.T, y = b or b.T, computed in float32."""
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
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    for tile in range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0)):
        rows = tile // tiles_n * BLOCK_M + tl.arange(0, BLOCK_M).to(tl.int64)
        cols = tile % tiles_n * BLOCK_N + tl.arange(0, BLOCK_N).to(tl.int64)
        row_ok = rows[:, None] < M
        col_ok = cols[None, :] < N
        acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for start in range(0, K, BLOCK_K):
            ks = start + tl.arange(0, BLOCK_K).to(tl.int64)
            x_ptrs = x_ptr + rows[:, None] * stride_xm + ks[None, :] * stride_xk
            y_ptrs = y_ptr + ks[:, None] * stride_yk + cols[None, :] * stride_yn
            x = tl.load(x_ptrs, mask=row_ok & (ks[None, :] < K), other=0.0)
            y = tl.load(y_ptrs, mask=(ks[:, None] < K) & col_ok, other=0.0)
            acc = tl.dot(x, y, acc)
        out_ptrs = out_ptr + rows[:, None] * stride_om + cols[None, :] * stride_on
        tl.store(out_ptrs, acc, mask=row_ok & col_ok)


def multiply(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """Write x @ y to out."""
    (M, K), (_, N) = x.shape, y.shape
    if out.numel() == 0:
        return out
    BLOCK_M, BLOCK_N, BLOCK_K = 64, 64, 64
    tiles = triton.cdiv(M, BLOCK_M) * triton.cdiv(N, BLOCK_N)
    programs = min(tiles, 2 * torch.cuda.get_device_properties(x.device).multi_processor_count)
    strides = (*x.stride(), *y.stride(), *out.stride())
    dot_kernel[(programs,)](x, y, out, M, N, K, *strides, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, BLOCK_K=BLOCK_K)
    return out


class Dot(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        ctx.save_for_backward(a, b)
        ctx.transpose_a, ctx.transpose_b = transpose_a, transpose_b
        x, y = (a.T if transpose_a else a), (b.T if transpose_b else b)
        return multiply(x, y, torch.empty((x.shape[0], y.shape[1]), dtype=a.dtype, device=a.device))

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors

        def of_a():
            da = torch.empty_like(a)
            multiply(g, b if ctx.transpose_b else b.T, da.T if ctx.transpose_a else da)
            return da

        def of_b():
            db = torch.empty_like(b)
            multiply(a if ctx.transpose_a else a.T, g, db.T if ctx.transpose_b else db)
            return db

        grads = [make() for asked, make in zip(ctx.needs_input_grad, (of_a, of_b)) if asked]
        return (*grads, *[None] * (4 - len(grads)))  # one for each argument of forward


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    """Return x @ y, (M, N), for x = a or a.T, y = b or b.T; differentiable."""
    return Dot.apply(a, b, transpose_a, transpose_b)
