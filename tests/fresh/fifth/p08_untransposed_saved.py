"""The gradient of b multiplies with a transposed, also where a itself had been transposed."""
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
    ms = tl.program_id(1).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    ns = tl.program_id(0).to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    lane = tl.arange(0, BLOCK_K).to(tl.int64)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    # whole steps first, then what is left
    whole = K // BLOCK_K
    for s in range(whole):
        k = s * BLOCK_K + lane
        x = tl.load(x_ptr + ms[:, None] * stride_xm + k[None, :] * stride_xk, mask=ms[:, None] < M, other=0.0)
        y = tl.load(y_ptr + k[:, None] * stride_yk + ns[None, :] * stride_yn, mask=ns[None, :] < N, other=0.0)
        acc = tl.dot(x, y, acc)
    if whole * BLOCK_K < K:
        k = whole * BLOCK_K + lane
        mask_x = (ms[:, None] < M) & (k[None, :] < K)
        mask_y = (k[:, None] < K) & (ns[None, :] < N)
        x = tl.load(x_ptr + ms[:, None] * stride_xm + k[None, :] * stride_xk, mask=mask_x, other=0.0)
        y = tl.load(y_ptr + k[:, None] * stride_yk + ns[None, :] * stride_yn, mask=mask_y, other=0.0)
        acc = tl.dot(x, y, acc)
    where = out_ptr + ms[:, None] * stride_om + ns[None, :] * stride_on
    tl.store(where, acc, mask=(ms[:, None] < M) & (ns[None, :] < N))


def multiply(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    if not out.numel():
        return out
    M, N = out.shape
    K = y.shape[0]
    grid = (triton.cdiv(N, 64), triton.cdiv(M, 64))
    dot_kernel[grid](
        x, y, out, M, N, K, *x.stride(), *y.stride(), *out.stride(), BLOCK_M=64, BLOCK_N=64, BLOCK_K=32, num_warps=4
    )
    return out


class Dot(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        ctx.save_for_backward(a, b)
        ctx.ta = transpose_a
        ctx.tb = transpose_b
        x = a.T if transpose_a else a
        y = b.T if transpose_b else b
        out = torch.empty((x.shape[0], y.shape[1]), dtype=a.dtype, device=a.device)
        return multiply(x, y, out)

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        da = torch.empty_like(a) if ctx.needs_input_grad[0] else None
        db = torch.empty_like(b) if ctx.needs_input_grad[1] else None
        if da is not None:
            y_t = b if ctx.tb else b.T
            multiply(g, y_t, da.T if ctx.ta else da)
        if db is not None:
            x_t = a.T
            multiply(x_t, g, db.T if ctx.tb else db)
        return da, db, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    return Dot.apply(a, b, transpose_a, transpose_b)
