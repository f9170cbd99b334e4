"""Two: g is read as if it were contiguous, and the result for a transposed b goes into db the wrong way round."""
import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32}, num_warps=4, num_stages=3)],
    key=["M", "N", "K"],
)
@triton.jit
def dot_kernel(
    x_ptr,
    y_ptr,
    out_ptr,
    M,
    N,
    K,
    x0,
    x1,
    y0,
    y1,
    o0,
    o1,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    i = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    j = tl.program_id(1).to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    s = tl.zeros([BLOCK_M, BLOCK_N], tl.float32)
    for t in range(0, K, BLOCK_K):
        k = t + tl.arange(0, BLOCK_K).to(tl.int64)
        xt = tl.load(x_ptr + i[None, :] * x0 + k[:, None] * x1, mask=(i[None, :] < M) & (k[:, None] < K), other=0.0)
        y = tl.load(y_ptr + k[:, None] * y0 + j[None, :] * y1, mask=(k[:, None] < K) & (j[None, :] < N), other=0.0)
        s += tl.dot(tl.trans(xt), y)
    tl.store(out_ptr + i[:, None] * o0 + j[None, :] * o1, s, mask=(i[:, None] < M) & (j[None, :] < N))


def launch(x, x_strides, y, y_strides, out, M, N, K):
    if out.numel() == 0:
        return out

    def grid(meta):
        return (triton.cdiv(M, meta["BLOCK_M"]), triton.cdiv(N, meta["BLOCK_N"]))

    dot_kernel[grid](x, y, out, M, N, K, *x_strides, *y_strides, *out.stride())
    return out


class Dot(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        ctx.save_for_backward(a, b)
        ctx.transpose_a, ctx.transpose_b = transpose_a, transpose_b
        M, K = a.shape[::-1] if transpose_a else a.shape
        N = b.shape[0] if transpose_b else b.shape[1]
        xs = a.stride()[::-1] if transpose_a else a.stride()
        ys = b.stride()[::-1] if transpose_b else b.stride()
        ctx.sizes = M, N, K
        ctx.xs, ctx.ys = xs, ys
        return launch(a, xs, b, ys, torch.empty((M, N), dtype=a.dtype, device=a.device), M, N, K)

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        M, N, K = ctx.sizes
        gs = (N, 1)
        da = db = None
        if ctx.needs_input_grad[0]:
            da = torch.empty_like(a)
            launch(g, gs, b, ctx.ys[::-1], da.T if ctx.transpose_a else da, M, K, N)
        if ctx.needs_input_grad[1]:
            db = torch.empty_like(b)
            launch(a, ctx.xs[::-1], g, gs, db if ctx.transpose_b else db.T, K, N, M)
        return da, db, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    return Dot.apply(a, b, transpose_a, transpose_b)
