"""Two mistakes: the mask along K is one too wide in the last turn, and db is computed transposed but stored as if it were not."""

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
    sx0,
    sx1,
    sy0,
    sy1,
    so0,
    so1,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    col = tl.program_id(1).to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    inner = tl.arange(0, BLOCK_K).to(tl.int64)
    row_ok, col_ok = row < M, col < N

    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        k = start + inner
        k_ok = k <= K
        x = tl.load(x_ptr + row[:, None] * sx0 + k[None, :] * sx1, mask=row_ok[:, None] & k_ok[None, :], other=0.0)
        y = tl.load(y_ptr + k[:, None] * sy0 + col[None, :] * sy1, mask=k_ok[:, None] & col_ok[None, :], other=0.0)
        acc += tl.dot(x, y)
    tl.store(out_ptr + row[:, None] * so0 + col[None, :] * so1, acc, mask=row_ok[:, None] & col_ok[None, :])


def multiply(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    M, K = x.shape
    N = y.shape[1]
    if out.numel():
        grid = (triton.cdiv(M, 64), triton.cdiv(N, 64))
        dot_kernel[grid](
            x, y, out, M, N, K,
            *x.stride(), *y.stride(), *out.stride(),
            BLOCK_M=64, BLOCK_N=64, BLOCK_K=32, num_warps=4,
        )
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
        x, y = (a.T if ctx.transpose_a else a), (b.T if ctx.transpose_b else b)
        grad_a = grad_b = None
        if ctx.needs_input_grad[0]:
            grad_a = torch.empty_like(a)
            multiply(g, y.T, grad_a.T if ctx.transpose_a else grad_a)
        if ctx.needs_input_grad[1]:
            grad_b = torch.empty_like(b)
            # dY^T = g^T x
            multiply(g.T, x, grad_b.T if ctx.transpose_b else grad_b)
        return grad_a, grad_b, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    return Dot.apply(a, b, transpose_a, transpose_b)
