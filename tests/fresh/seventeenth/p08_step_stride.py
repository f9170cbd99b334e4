import torch
import triton
import triton.language as tl


def reference(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    """Return x @ y for x = a or a.T, y = b or b.T, computed in float32; PyTorch knows how to differentiate that."""
    x, y = (a.T if transpose_a else a), (b.T if transpose_b else b)
    return (x.float() @ y.float()).to(a.dtype)


@triton.jit
def dot_kernel(
    x_ptr, y_ptr, out_ptr, M, N, K, stride_xm, stride_xk, stride_yk, stride_yn, stride_om, stride_on,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    # one axis of programs, column by column of tiles
    tiles_m = tl.cdiv(M, BLOCK_M)
    pid = tl.program_id(0).to(tl.int64)
    rows = (pid % tiles_m) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = (pid // tiles_m) * BLOCK_N + tl.arange(0, BLOCK_N)
    lane = tl.arange(0, BLOCK_K).to(tl.int64)
    xs = x_ptr + rows[:, None] * stride_xm + lane[None, :] * stride_xk
    ys = y_ptr + lane[:, None] * stride_yk + cols[None, :] * stride_yn
    step = tl.full((), BLOCK_K, tl.int64)

    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for i in range(0, tl.cdiv(K, BLOCK_K)):
        left = K - i * BLOCK_K
        x = tl.load(xs, mask=(rows[:, None] < M) & (lane[None, :] < left), other=0.0)
        y = tl.load(ys, mask=(lane[:, None] < left) & (cols[None, :] < N), other=0.0)
        total = tl.dot(x, y, total)
        xs += step * stride_xk
        ys += step * stride_yn

    os = out_ptr + rows[:, None] * stride_om + cols[None, :] * stride_on
    tl.store(os, total, mask=(rows[:, None] < M) & (cols[None, :] < N))


def multiply(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    (M, K), (_, N) = x.shape, y.shape
    if out.numel() == 0:
        return out
    tiles = triton.cdiv(M, 64) * triton.cdiv(N, 64)
    strides = (*x.stride(), *y.stride(), *out.stride())
    dot_kernel[(tiles,)](x, y, out, M, N, K, *strides, BLOCK_M=64, BLOCK_N=64, BLOCK_K=32)
    return out


class Dot(torch.autograd.Function):
    """Tell PyTorch what runs forwards and what runs back."""

    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        """Return x @ y, (M, N)."""
        ctx.save_for_backward(a, b)
        ctx.transpose_a, ctx.transpose_b = transpose_a, transpose_b
        x, y = (a.T if transpose_a else a), (b.T if transpose_b else b)
        return multiply(x, y, torch.empty((x.shape[0], y.shape[1]), dtype=a.dtype, device=a.device))

    @staticmethod
    def backward(ctx, g):
        """Return the gradients of a and b for g: (M, N), each `None` where nobody asks for it, and `None` twice."""
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
    """Return x @ y, (M, N), for x = a or a.T, y = b or b.T: float16 or bfloat16, any strides; differentiable."""
    return Dot.apply(a, b, transpose_a, transpose_b)
