import torch
import triton
import triton.language as tl


def reference(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    x, y = (a.T if transpose_a else a), (b.T if transpose_b else b)
    return (x.float() @ y.float()).to(a.dtype)


@triton.jit
def dot_kernel(
    x_ptr, y_ptr, out_ptr, M, N, K, stride_xm, stride_xk, stride_yk, stride_yn, stride_om, stride_on,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    pid = tl.program_id(0).to(tl.int64)
    tiles_m = tl.cdiv(M, BLOCK_M)
    rows = pid % tiles_m * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = pid // tiles_m * BLOCK_N + tl.arange(0, BLOCK_N)

    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        ks = start + tl.arange(0, BLOCK_K).to(tl.int64)
        x_mask = (rows[:, None] < M) & (ks[None, :] < K)
        y_mask = (ks[:, None] < K) & (cols[None, :] < N)
        x = tl.load(x_ptr + rows[:, None] * stride_xm + ks[None, :] * stride_xk, mask=x_mask, other=0.0)
        y = tl.load(y_ptr + ks[:, None] * stride_yk + cols[None, :] * stride_yn, mask=y_mask, other=0.0)
        acc = tl.dot(x, y, acc)

    out_mask = (rows[:, None] < M) & (cols[None, :] < N)
    tl.store(out_ptr + rows[:, None] * stride_om + cols[None, :] * stride_on, acc, mask=out_mask)


def multiply(x, y, out):
    (M, K), (_, N) = x.shape, y.shape
    if out.numel() == 0:
        return out
    BLOCK_M, BLOCK_N, BLOCK_K = 64, 64, 64
    grid = (triton.cdiv(M, BLOCK_M) * triton.cdiv(N, BLOCK_N),)
    dot_kernel[grid](
        x, y, out, M, N, K,
        x.stride(0), x.stride(1), y.stride(0), y.stride(1), out.stride(0), out.stride(1),
        BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, BLOCK_K=BLOCK_K,
    )
    return out


class Dot(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        ctx.save_for_backward(a, b)
        ctx.transpose_a = transpose_a
        ctx.transpose_b = transpose_b
        x = a.T if transpose_a else a
        y = b.T if transpose_b else b
        out = torch.empty((x.shape[0], y.shape[1]), dtype=a.dtype, device=a.device)
        return multiply(x, y, out)

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        x = a.T if ctx.transpose_a else a
        y = b.T if ctx.transpose_b else b
        da, db = None, None
        if ctx.needs_input_grad[0]:
            da = torch.empty_like(a)
            dx = da.T if ctx.transpose_a else da
            multiply(g, y.T, dx)
        if ctx.needs_input_grad[1]:
            db = torch.empty_like(b)
            dy = db
            multiply(x.T, g, dy)
        return da, db, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    return Dot.apply(a, b, transpose_a, transpose_b)
