"""The two gradients are returned in the wrong order.

Mistake at: return grad_b, grad_a, None, None
"""

import torch
import triton
import triton.language as tl


@triton.jit
def product(
    L, R, P, M, N, K, lm, lk, rk, rn, pm, pn,
    TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr,
):
    i = tl.program_id(0).to(tl.int64) * TM + tl.arange(0, TM)
    j = tl.program_id(1).to(tl.int64) * TN + tl.arange(0, TN)
    acc = tl.zeros((TM, TN), tl.float32)
    for k0 in range(0, K, TK):
        k = k0 + tl.arange(0, TK).to(tl.int64)
        left = tl.load(L + i[:, None] * lm + k[None, :] * lk, mask=(i[:, None] < M) & (k[None, :] < K), other=0.0)
        right = tl.load(R + k[:, None] * rk + j[None, :] * rn, mask=(k[:, None] < K) & (j[None, :] < N), other=0.0)
        acc = tl.dot(left, right, acc)
    tl.store(P + i[:, None] * pm + j[None, :] * pn, acc, mask=(i[:, None] < M) & (j[None, :] < N))


def run(left, right, result):
    M, K = left.shape
    N = right.shape[1]
    if result.numel() == 0:
        return result
    grid = (triton.cdiv(M, 64), triton.cdiv(N, 64))
    product[grid](
        left, right, result, M, N, K,
        left.stride(0), left.stride(1), right.stride(0), right.stride(1), result.stride(0), result.stride(1),
        TM=64, TN=64, TK=32,
    )
    return result


class MatMul(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, ta, tb):
        ctx.save_for_backward(a, b)
        ctx.ta, ctx.tb = ta, tb
        x = a.T if ta else a
        y = b.T if tb else b
        return run(x, y, torch.empty((x.shape[0], y.shape[1]), dtype=a.dtype, device=a.device))

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        x = a.T if ctx.ta else a
        y = b.T if ctx.tb else b
        grad_a = grad_b = None
        if ctx.needs_input_grad[0]:
            grad_a = torch.empty_like(a)
            run(grad, y.T, grad_a.T if ctx.ta else grad_a)
        if ctx.needs_input_grad[1]:
            grad_b = torch.empty_like(b)
            run(x.T, grad, grad_b.T if ctx.tb else grad_b)
        return grad_b, grad_a, None, None


def dot(a, b, transpose_a=False, transpose_b=False):
    return MatMul.apply(a, b, transpose_a, transpose_b)
