import torch
import triton
import triton.language as tl


@triton.jit
def dot_kernel(
    x_ptr, y_ptr, out_ptr, M, N, K, sxm, sxk, syk, syn, som, son,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    m = (tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M))[:, None]
    n = (tl.program_id(1).to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N))[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k0 in range(0, K, BLOCK_K):
        k = k0 + tl.arange(0, BLOCK_K).to(tl.int64)
        left = tl.load(x_ptr + m * sxm + k[None, :] * sxk, mask=(m < M) & (k[None, :] < K), other=0.0)
        right = tl.load(y_ptr + k[:, None] * syk + n * syn, mask=(k[:, None] < K) & (n < N), other=0.0)
        total = tl.dot(left, right, total)
    tl.store(out_ptr + m * som + n * son, total, mask=(m < M) & (n < N))


def multiply(x, y, out):
    M, K = x.shape
    N = y.shape[1]
    if M > 0 and N > 0:
        BM = BN = 64
        grid = (triton.cdiv(M, BM), triton.cdiv(N, BN))
        dot_kernel[grid](
            x, y, out, M, N, K, *x.stride(), *y.stride(), *out.stride(), BLOCK_M=BM, BLOCK_N=BN, BLOCK_K=32
        )
    return out


class Dot(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        ctx.save_for_backward(a, b)
        ctx.flags = transpose_a, transpose_b
        x = a.T if transpose_a else a
        y = b.T if transpose_b else b
        c = torch.empty((x.shape[0], y.shape[1]), dtype=a.dtype, device=a.device)
        return multiply(x, y, c)

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        ta, tb = ctx.flags
        x = a.T if ta else a
        y = b.T if tb else b
        grad_a, grad_b = None, None
        if g is not None:
            grad_a = torch.empty_like(a)
            multiply(g, y.T, grad_a.T if ta else grad_a)
        if ctx.needs_input_grad[1]:
            grad_b = torch.empty_like(b)
            multiply(x.T, g, grad_b.T if tb else grad_b)
        return grad_a, grad_b, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    return Dot.apply(a, b, transpose_a, transpose_b)
