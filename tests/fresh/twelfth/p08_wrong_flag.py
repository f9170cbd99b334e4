"""Puzzle 8: a matrix product with gradients."""

import torch
import triton
import triton.language as tl


def reference(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    """Return x @ y for x = a or a.T, y = b or b.T, computed in float32; PyTorch knows how to differentiate that."""
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
    """Write tile (`tl.program_id(0)`, `tl.program_id(1)`) of x @ y to out."""
    rows = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.program_id(1).to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    row_mask = rows[:, None] < M
    col_mask = cols[None, :] < N

    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        ks = start + tl.arange(0, BLOCK_K).to(tl.int64)
        x = tl.load(
            x_ptr + rows[:, None] * stride_xm + ks[None, :] * stride_xk,
            mask=row_mask & (ks[None, :] < K),
            other=0.0,
        )
        y = tl.load(
            y_ptr + ks[:, None] * stride_yk + cols[None, :] * stride_yn,
            mask=(ks[:, None] < K) & col_mask,
            other=0.0,
        )
        acc = tl.dot(x, y, acc)

    tl.store(out_ptr + rows[:, None] * stride_om + cols[None, :] * stride_on, acc, mask=row_mask & col_mask)


def multiply(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """Write x @ y to out, (M, N), in one launch, and return out; all three may have any strides."""
    (M, K), (_, N) = x.shape, y.shape
    grid = (triton.cdiv(M, 64), triton.cdiv(N, 64))
    strides = (*x.stride(), *y.stride(), *out.stride())
    if out.numel() > 0:
        dot_kernel[grid](x, y, out, M, N, K, *strides, BLOCK_M=64, BLOCK_N=64, BLOCK_K=32)
    return out


class Dot(torch.autograd.Function):
    """Tell PyTorch what runs forwards and what runs back."""

    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        """Return x @ y, (M, N)."""
        ctx.save_for_backward(a, b)
        ctx.transpose_a = transpose_a
        ctx.transpose_b = transpose_b
        x = a.T if transpose_a else a
        y = b.T if transpose_b else b
        out = torch.empty((x.shape[0], y.shape[1]), dtype=a.dtype, device=a.device)
        return multiply(x, y, out)

    @staticmethod
    def backward(ctx, g):
        """Return the gradients of a and b, each `None` where nobody asks for it."""
        a, b = ctx.saved_tensors
        x = a.T if ctx.transpose_a else a
        y = b.T if ctx.transpose_b else b
        da, db = None, None
        if ctx.needs_input_grad[0]:
            da = torch.empty_like(a)
            multiply(g, y.T, da.T if ctx.transpose_a else da)
        if ctx.needs_input_grad[1]:
            db = torch.empty_like(b)
            multiply(x.T, g, db.T if ctx.transpose_a else db)
        return da, db, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    """Return x @ y, (M, N), for x = a or a.T, y = b or b.T: float16 or bfloat16, any strides; differentiable."""
    return Dot.apply(a, b, transpose_a, transpose_b)
