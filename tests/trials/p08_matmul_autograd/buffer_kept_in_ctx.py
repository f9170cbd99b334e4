r"""The memory of grad_b is made once in forward and used again by each backward. Line(s): `ctx.grad_b = torch.empty_like(b) / grad_b = ctx.grad_b`"""
import torch
import triton
import triton.language as tl


@triton.jit
def dot_kernel(
    x_ptr, y_ptr, out_ptr,
    M, N, K,
    stride_xm, stride_xk, stride_yk, stride_yn, stride_om, stride_on,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    wide = tl.cdiv(N, BLOCK_N)
    pid = tl.program_id(0)
    i = (pid // wide).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    j = (pid % wide).to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k0 in range(0, K, BLOCK_K):
        kk = k0 + tl.arange(0, BLOCK_K).to(tl.int64)
        x = tl.load(x_ptr + i[:, None] * stride_xm + kk[None, :] * stride_xk,
                    mask=(i[:, None] < M) & (kk[None, :] < K), other=0.0)
        y = tl.load(y_ptr + kk[:, None] * stride_yk + j[None, :] * stride_yn,
                    mask=(kk[:, None] < K) & (j[None, :] < N), other=0.0)
        total += tl.dot(x, y)
    tl.store(out_ptr + i[:, None] * stride_om + j[None, :] * stride_on,
             total.to(out_ptr.dtype.element_ty), mask=(i[:, None] < M) & (j[None, :] < N))


def product(x, y, out):
    """out = x @ y."""
    M, K = x.shape
    N = y.shape[1]
    if M == 0 or N == 0:
        return out
    grid = lambda meta: (triton.cdiv(M, meta["BLOCK_M"]) * triton.cdiv(N, meta["BLOCK_N"]),)
    dot_kernel[grid](
        x, y, out, M, N, K,
        x.stride(0), x.stride(1), y.stride(0), y.stride(1), out.stride(0), out.stride(1),
        BLOCK_M=64, BLOCK_N=64, BLOCK_K=32,
    )
    return out


class Dot(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        ctx.save_for_backward(a, b)
        ctx.flags = (transpose_a, transpose_b)
        ctx.grad_b = torch.empty_like(b)
        x = a.T if transpose_a else a
        y = b.T if transpose_b else b
        c = torch.empty((x.shape[0], y.shape[1]), dtype=a.dtype, device=a.device)
        return product(x, y, c)

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        transpose_a, transpose_b = ctx.flags
        x = a.T if transpose_a else a
        y = b.T if transpose_b else b
        grad_a = grad_b = None
        if ctx.needs_input_grad[0]:
            grad_a = torch.empty_like(a)
            if transpose_a:
                product(y, g.T, grad_a)
            else:
                product(g, y.T, grad_a)
        if ctx.needs_input_grad[1]:
            grad_b = ctx.grad_b
            if transpose_b:
                product(g.T, x, grad_b)
            else:
                product(x.T, g, grad_b)
        return grad_a, grad_b, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    return Dot.apply(a, b, transpose_a, transpose_b)
