import torch
import triton
import triton.language as tl


def reference(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    x, y = (a.T if transpose_a else a), (b.T if transpose_b else b)
    return (x.float() @ y.float()).to(a.dtype)


@triton.jit
def tile(ptr, i, j, stride_i, stride_j, n_i, n_j):
    """Load the elements (i, j) of a matrix of n_i by n_j, and 0 where there is none."""
    mask = (i[:, None] < n_i) & (j[None, :] < n_j)
    return tl.load(ptr + i[:, None] * stride_i + j[None, :] * stride_j, mask=mask, other=0.0)


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
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k_tile in range(tl.cdiv(K, BLOCK_K)):
        ks = k_tile * BLOCK_K + tl.arange(0, BLOCK_K).to(tl.int64)
        x = tile(x_ptr, rows, ks, stride_xm, stride_xk, M, K)
        y = tile(y_ptr, ks, cols, stride_yk, stride_yn, K, N)
        acc = tl.dot(x, y, acc)
    where = rows[:, None] * stride_om + cols[None, :] * stride_on
    tl.store(out_ptr + where, acc, mask=(rows[:, None] < M) & (cols[None, :] < N))


def multiply(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    (M, K), (_, N) = x.shape, y.shape
    BLOCK_M, BLOCK_N, BLOCK_K = 64, 64, 32
    grid = (triton.cdiv(M, BLOCK_M), triton.cdiv(N, BLOCK_N))
    strides = (*x.stride(), *y.stride(), *out.stride())
    if x.numel() and y.numel():
        dot_kernel[grid](x, y, out, M, N, K, *strides, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, BLOCK_K=BLOCK_K)
    return out


class Dot(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        ctx.save_for_backward(a, b)
        ctx.transpose_a, ctx.transpose_b = transpose_a, transpose_b
        x, y = (a.T if transpose_a else a), (b.T if transpose_b else b)
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
            db = torch.empty_like(b)
            multiply(x.T, g, db.T if ctx.transpose_b else db)
        return da, db, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    return Dot.apply(a, b, transpose_a, transpose_b)
