"""The gradient of a is computed transposed, and is written out the wrong way round."""
import torch
import triton
import triton.language as tl


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
    pid = tl.program_id(0)
    i = (pid % tl.cdiv(M, BLOCK_M)).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    j = (pid // tl.cdiv(M, BLOCK_M)).to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k0 in range(0, K, BLOCK_K):
        k = k0 + tl.arange(0, BLOCK_K).to(tl.int64)
        kr = k[None, :]
        kc = k[:, None]
        x = tl.load(x_ptr + i * stride_xm + kr * stride_xk, mask=(i < M) & (kr < K), other=0.0)
        y = tl.load(y_ptr + kc * stride_yk + j * stride_yn, mask=(kc < K) & (j < N), other=0.0)
        acc += tl.dot(x, y)
    tl.store(out_ptr + i * stride_om + j * stride_on, acc, mask=(i < M) & (j < N))


def multiply(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    M, K = x.shape
    N = y.shape[1]
    if out.numel() > 0:
        grid = (triton.cdiv(M, 64) * triton.cdiv(N, 64),)
        dot_kernel[grid](
            x, y, out, M, N, K, *x.stride(), *y.stride(), *out.stride(), BLOCK_M=64, BLOCK_N=64, BLOCK_K=32
        )
    return out


class Dot(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        ctx.save_for_backward(a, b)
        ctx.flags = (transpose_a, transpose_b)
        x = a.t() if transpose_a else a
        y = b.t() if transpose_b else b
        return multiply(x, y, a.new_empty((x.shape[0], y.shape[1])))

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        ta, tb = ctx.flags
        x = a.t() if ta else a
        y = b.t() if tb else b
        da = db = None
        if ctx.needs_input_grad[0]:
            da = torch.empty_like(a)
            # y g^T is dX transposed, (K, M): the shape of a itself if a came in transposed
            multiply(y, g.t(), da.t() if ta else da)
        if ctx.needs_input_grad[1]:
            db = torch.empty_like(b)
            # the same for b: g^T x is dY transposed, (N, K)
            multiply(g.t(), x, db if tb else db.t())
        return da, db, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    return Dot.apply(a, b, transpose_a, transpose_b)
