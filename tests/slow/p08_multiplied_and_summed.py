"""Matrix product that can be trained; the product of two tiles is written out as multiplications and a sum.

Cause: no-tensor-cores
Line: acc += tl.sum(x[:, :, None].to(tl.float32) * y[None, :, :].to(tl.float32), axis=1)
"""

import torch
import triton
import triton.language as tl


@triton.jit
def dot_kernel(
    x_ptr, y_ptr, out_ptr, M, N, K, stride_xm, stride_xk, stride_yk, stride_yn, stride_om, stride_on,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.program_id(1).to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    ks = tl.arange(0, BLOCK_K).to(tl.int64)
    x_ptrs = x_ptr + rows[:, None] * stride_xm + ks[None, :] * stride_xk
    y_ptrs = y_ptr + ks[:, None] * stride_yk + cols[None, :] * stride_yn
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        x = tl.load(x_ptrs, mask=(rows[:, None] < M) & (ks[None, :] < K - start), other=0.0)
        y = tl.load(y_ptrs, mask=(ks[:, None] < K - start) & (cols[None, :] < N), other=0.0)
        acc += tl.sum(x[:, :, None].to(tl.float32) * y[None, :, :].to(tl.float32), axis=1)
        x_ptrs += BLOCK_K * stride_xk
        y_ptrs += BLOCK_K * stride_yk
    out_ptrs = out_ptr + rows[:, None] * stride_om + cols[None, :] * stride_on
    tl.store(out_ptrs, acc, mask=(rows[:, None] < M) & (cols[None, :] < N))


def multiply(x, y, out):
    (M, K), (_, N) = x.shape, y.shape
    if out.numel():
        BLOCK_M, BLOCK_N, BLOCK_K = 64, 64, 8
        grid = (triton.cdiv(M, BLOCK_M), triton.cdiv(N, BLOCK_N))
        size = {"BLOCK_M": BLOCK_M, "BLOCK_N": BLOCK_N, "BLOCK_K": BLOCK_K}
        dot_kernel[grid](x, y, out, M, N, K, *x.stride(), *y.stride(), *out.stride(), **size, num_warps=8)
    return out


class Dot(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        ctx.save_for_backward(a, b)
        ctx.transposed = transpose_a, transpose_b
        x, y = (a.T if transpose_a else a), (b.T if transpose_b else b)
        return multiply(x, y, a.new_empty((x.shape[0], y.shape[1])))

    @staticmethod
    def backward(ctx, g):
        (a, b), (turn_a, turn_b) = ctx.saved_tensors, ctx.transposed
        da = db = None
        if ctx.needs_input_grad[0]:
            da = torch.empty_like(a)
            multiply(g, b if turn_b else b.T, da.T if turn_a else da)
        if ctx.needs_input_grad[1]:
            db = torch.empty_like(b)
            multiply(a if turn_a else a.T, g, db.T if turn_b else db)
        return da, db, None, None


def dot(a, b, transpose_a=False, transpose_b=False):
    return Dot.apply(a, b, transpose_a, transpose_b)
