import torch
import triton
import triton.language as tl


def reference(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    """Return x @ y for x = a or a.T, y = b or b.T, computed in float32; PyTorch knows how to differentiate that."""
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
    """Write one tile of x @ y; the programs are numbered row by row of tiles."""
    tiles_n = tl.cdiv(N, BLOCK_N)
    pid = tl.program_id(0)
    rows = (pid // tiles_n).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = (pid % tiles_n).to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    ks = tl.arange(0, BLOCK_K).to(tl.int64)
    x_ptrs = x_ptr + rows[:, None] * stride_xm + ks[None, :] * stride_xk
    y_ptrs = y_ptr + ks[:, None] * stride_yk + cols[None, :] * stride_yn
    step = tl.full((), BLOCK_K, tl.int64)

    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        live = ks < K - start
        x = tl.load(x_ptrs, mask=(rows[:, None] < M) & live[None, :], other=0.0)
        y = tl.load(y_ptrs, mask=live[:, None] & (cols[None, :] < N), other=0.0)
        acc += tl.dot(x, y)
        x_ptrs += step * stride_xk
        y_ptrs += step * stride_yk

    out_ptrs = out_ptr + rows[:, None] * stride_om + cols[None, :] * stride_on
    tl.store(out_ptrs, acc.to(out_ptr.dtype.element_ty), mask=(rows[:, None] < M) & (cols[None, :] < N))


def multiply(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """Write x @ y to out and return out."""
    if out.numel() == 0:
        return out
    M, N, K = x.shape[0], y.shape[1], x.shape[1]
    grid = lambda meta: (triton.cdiv(M, meta["BLOCK_M"]) * triton.cdiv(N, meta["BLOCK_N"]),)
    dot_kernel[grid](
        x, y, out, M, N, K, *x.stride(), *y.stride(), *out.stride(), BLOCK_M=64, BLOCK_N=64, BLOCK_K=64
    )
    return out


def product(x: torch.Tensor, y: torch.Tensor, like: torch.Tensor, flip: bool) -> torch.Tensor:
    """Return x @ y, or its transpose where flip is set, in new memory of the shape of `like`."""
    result = torch.empty_like(like)
    multiply(x, y, result.t() if flip else result)
    return result


class Dot(torch.autograd.Function):
    """x @ y with its two gradients."""

    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        """Return x @ y, (M, N)."""
        ctx.save_for_backward(a, b)
        ctx.flip_a, ctx.flip_b = transpose_a, transpose_b
        x = a.t() if transpose_a else a
        y = b.t() if transpose_b else b
        return multiply(x, y, a.new_empty((x.shape[0], y.shape[1])))

    @staticmethod
    def backward(ctx, g):
        """Return dA and dB, and `None` for the two flags."""
        a, b = ctx.saved_tensors
        x = a.t() if ctx.flip_a else a
        y = b.t() if ctx.flip_b else b
        da = product(g, y.t(), like=a, flip=ctx.flip_a)
        db = product(x.t(), g, like=b, flip=ctx.flip_b)
        return da, db, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    """Return x @ y, (M, N), for x = a or a.T, y = b or b.T: float16 or bfloat16, any strides; differentiable."""
    return Dot.apply(a, b, transpose_a, transpose_b)
