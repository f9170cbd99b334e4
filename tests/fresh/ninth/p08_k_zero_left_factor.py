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


def multiply(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    (M, K), (_, N) = x.shape, y.shape
    if x.numel() == 0 or out.numel() == 0:
        return out

    def grid(meta):
        return triton.cdiv(M, meta["BLOCK_M"]), triton.cdiv(N, meta["BLOCK_N"])

    strides = x.stride() + y.stride() + out.stride()
    dot_kernel[grid](x, y, out, M, N, K, *strides, BLOCK_M=128, BLOCK_N=64, BLOCK_K=32, num_warps=8)
    return out


class Dot(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        ctx.save_for_backward(a, b)
        ctx.ta, ctx.tb = transpose_a, transpose_b
        x = a.T if transpose_a else a
        y = b.T if transpose_b else b
        return multiply(x, y, a.new_empty((x.size(0), y.size(1))))

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        need_a, need_b, *_ = ctx.needs_input_grad
        da = torch.empty_like(a) if need_a else None
        db = torch.empty_like(b) if need_b else None
        if need_a:
            # y.T is b.T, or b where y is b.T
            multiply(g, b if ctx.tb else b.T, da.T if ctx.ta else da)
        if need_b:
            multiply(a.T if ctx.ta else a, g, db.T if ctx.tb else db)
        return da, db, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    return Dot.apply(a, b, transpose_a, transpose_b)
