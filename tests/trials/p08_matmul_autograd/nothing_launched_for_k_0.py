"""Returns unwritten memory for an empty sum: if M == 0 or N == 0 or K == 0"""
import torch
import triton
import triton.language as tl


def reference(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    x, y = (a.T if transpose_a else a), (b.T if transpose_b else b)
    return (x.float() @ y.float()).to(a.dtype)


@triton.jit
def dot_kernel(
    x_ptr, y_ptr, out_ptr,
    M, N, K,
    stride_xm, stride_xk, stride_yk, stride_yn, stride_om, stride_on,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    ti = tl.program_id(0).to(tl.int64)
    tj = tl.program_id(1).to(tl.int64)
    ri = ti * BLOCK_M + tl.arange(0, BLOCK_M)
    cj = tj * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for turn in range(tl.cdiv(K, BLOCK_K)):
        kk = tl.cast(turn, tl.int64) * BLOCK_K + tl.arange(0, BLOCK_K)
        x_tile = tl.load(
            x_ptr + ri[:, None] * stride_xm + kk[None, :] * stride_xk,
            mask=(ri < M)[:, None] & (kk < K)[None, :],
            other=0.0,
        )
        y_tile = tl.load(
            y_ptr + kk[:, None] * stride_yk + cj[None, :] * stride_yn,
            mask=(kk < K)[:, None] & (cj < N)[None, :],
            other=0.0,
        )
        acc = tl.dot(x_tile, y_tile, acc)
    tl.store(
        out_ptr + ri[:, None] * stride_om + cj[None, :] * stride_on,
        acc.to(out_ptr.dtype.element_ty),
        mask=(ri < M)[:, None] & (cj < N)[None, :],
    )


def launch(x, y, out):
    M, K = x.shape
    N = y.shape[1]
    if M == 0 or N == 0 or K == 0:
        return out
    grid = lambda meta: (triton.cdiv(M, meta["BLOCK_M"]), triton.cdiv(N, meta["BLOCK_N"]))
    dot_kernel[grid](
        x, y, out, M, N, K,
        x.stride(0), x.stride(1), y.stride(0), y.stride(1), out.stride(0), out.stride(1),
        BLOCK_M=64, BLOCK_N=64, BLOCK_K=32,
    )
    return out


class Dot(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        x = a.t() if transpose_a else a
        y = b.t() if transpose_b else b
        c = torch.empty((x.shape[0], y.shape[1]), dtype=a.dtype, device=a.device)
        launch(x, y, c)
        ctx.save_for_backward(a, b)
        ctx.flags = (transpose_a, transpose_b)
        return c

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        ta, tb = ctx.flags
        grad_a = grad_b = None
        if ctx.needs_input_grad[0]:
            grad_a = torch.empty(a.shape, dtype=a.dtype, device=a.device)
            if ta:  # dA = Y G^T
                launch(b.t() if tb else b, grad.t(), grad_a)
            else:  # dA = G Y^T
                launch(grad, b if tb else b.t(), grad_a)
        if ctx.needs_input_grad[1]:
            grad_b = torch.empty(b.shape, dtype=b.dtype, device=b.device)
            if tb:  # dB = G^T X
                launch(grad.t(), a.t() if ta else a, grad_b)
            else:  # dB = X^T G
                launch(a if ta else a.t(), grad, grad_b)
        return grad_a, grad_b, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    return Dot.apply(a, b, transpose_a, transpose_b)
