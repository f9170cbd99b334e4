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
    rows = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.program_id(1).to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    ks = tl.arange(0, BLOCK_K).to(tl.int64)
    x_ptrs = x_ptr + rows[:, None] * stride_xm + ks[None, :] * stride_xk
    y_ptrs = y_ptr + ks[:, None] * stride_yk + cols[None, :] * stride_yn
    step = tl.full((), BLOCK_K, tl.int64)

    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        left = K - start
        x = tl.load(x_ptrs, mask=(rows[:, None] < M) & (ks[None, :] < left), other=0.0)
        y = tl.load(y_ptrs, mask=(ks[:, None] < left) & (cols[None, :] < N), other=0.0)
        acc = tl.dot(x, y, acc)
        x_ptrs += step * stride_xk
        y_ptrs += step * stride_yk

    out_ptrs = out_ptr + rows[:, None] * stride_om + cols[None, :] * stride_on
    tl.store(out_ptrs, acc, mask=(rows[:, None] < M) & (cols[None, :] < N))


def multiply(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    (M, K), (_, N) = x.shape, y.shape
    BLOCK_M, BLOCK_N, BLOCK_K = 64, 64, 32
    grid = (triton.cdiv(M, BLOCK_M), triton.cdiv(N, BLOCK_N))
    strides = (*x.stride(), *y.stride(), *out.stride())
    if out.numel():
        dot_kernel[grid](x, y, out, M, N, K, *strides, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, BLOCK_K=BLOCK_K)
    return out


class Dot(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        ctx.save_for_backward(a, b)
        ctx.transpose_a, ctx.transpose_b = transpose_a, transpose_b
        x, y = (a.T if transpose_a else a), (b.T if transpose_b else b)
        ctx.db = torch.empty_like(b)
        return multiply(x, y, torch.empty((x.shape[0], y.shape[1]), dtype=a.dtype, device=a.device))

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        x, y = (a.T if ctx.transpose_a else a), (b.T if ctx.transpose_b else b)
        da = db = None
        if ctx.needs_input_grad[0]:
            da = torch.empty_like(a)
            multiply(g, y.T, da.T if ctx.transpose_a else da)
        if ctx.needs_input_grad[1]:
            db = ctx.db
            multiply(x.T, g, db.T if ctx.transpose_b else db)
        return da, db, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    return Dot.apply(a, b, transpose_a, transpose_b)
