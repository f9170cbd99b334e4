"""A matrix product that can be trained; a function says how a matrix lies in memory."""

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
    GROUP: tl.constexpr,
):
    pid = tl.program_id(0)
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    first = pid // (GROUP * tiles_n) * GROUP
    height = min(tiles_m - first, GROUP)
    rest = pid - first * tiles_n
    rows = (first + rest % height) * BLOCK_M + tl.arange(0, BLOCK_M).to(tl.int64)
    cols = (rest // height) * BLOCK_N + tl.arange(0, BLOCK_N).to(tl.int64)

    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        ks = start + tl.arange(0, BLOCK_K).to(tl.int64)
        x_ptrs = x_ptr + rows[:, None] * stride_xm + ks[None, :] * stride_xk
        y_ptrs = y_ptr + ks[:, None] * stride_yk + cols[None, :] * stride_yn
        x = tl.load(x_ptrs, mask=(rows[:, None] < M) & (ks[None, :] < K), other=0.0)
        y = tl.load(y_ptrs, mask=(ks[:, None] < K) & (cols[None, :] < N), other=0.0)
        acc = tl.dot(x, y, acc)

    out_ptrs = out_ptr + rows[:, None] * stride_om + cols[None, :] * stride_on
    tl.store(out_ptrs, acc, mask=(rows[:, None] < M) & (cols[None, :] < N))


def layout(t: torch.Tensor) -> tuple[int, int]:
    """Return how far it is in memory from row to row, and from column to column."""
    return (t.stride(0), 1) if t.stride(1) == 1 else (1, t.stride(1))


def multiply(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """Write x @ y to out."""
    (M, K), (_, N) = x.shape, y.shape
    if out.numel() == 0:
        return out
    grid = (triton.cdiv(M, 64) * triton.cdiv(N, 64),)
    dot_kernel[grid](
        x, y, out, M, N, K, *layout(x), *layout(y), *layout(out), BLOCK_M=64, BLOCK_N=64, BLOCK_K=32, GROUP=8
    )
    return out


class Dot(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        ctx.save_for_backward(a, b)
        ctx.transposed = transpose_a, transpose_b
        x, y = (a.T if transpose_a else a), (b.T if transpose_b else b)
        return multiply(x, y, torch.empty((x.shape[0], y.shape[1]), dtype=a.dtype, device=a.device))

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        transpose_a, transpose_b = ctx.transposed
        da = db = None
        if ctx.needs_input_grad[0]:
            da = torch.empty_like(a)
            multiply(g, b if transpose_b else b.T, da.T if transpose_a else da)
        if ctx.needs_input_grad[1]:
            db = torch.empty_like(b)
            multiply(a if transpose_a else a.T, g, db.T if transpose_b else db)
        return da, db, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    """Return x @ y, (M, N), for x = a or a.T, y = b or b.T; differentiable."""
    return Dot.apply(a, b, transpose_a, transpose_b)
