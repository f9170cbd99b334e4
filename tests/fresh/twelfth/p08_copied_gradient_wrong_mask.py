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
    """Write tile (`tl.program_id(0)`, `tl.program_id(1)`) of x @ y to out, (BLOCK_M, BLOCK_N)."""
    row0 = tl.program_id(0).to(tl.int64) * BLOCK_M
    col0 = tl.program_id(1).to(tl.int64) * BLOCK_N
    rows = row0 + tl.arange(0, BLOCK_M)
    cols = col0 + tl.arange(0, BLOCK_N)
    ks = tl.arange(0, BLOCK_K).to(tl.int64)
    x_step = tl.full((), BLOCK_K, tl.int64) * stride_xk
    y_step = tl.full((), BLOCK_K, tl.int64) * stride_yk
    x_ptrs = x_ptr + rows[:, None] * stride_xm + ks[None, :] * stride_xk
    y_ptrs = y_ptr + ks[:, None] * stride_yk + cols[None, :] * stride_yn

    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    left = K
    while left > 0:
        x_mask = (rows[:, None] < M) & (ks[None, :] < left)
        y_mask = (ks[:, None] < left) & (cols[None, :] < M)
        x = tl.load(x_ptrs, mask=x_mask, other=0.0)
        y = tl.load(y_ptrs, mask=y_mask, other=0.0)
        acc = tl.dot(x, y, acc)
        x_ptrs += x_step
        y_ptrs += y_step
        left -= BLOCK_K

    out_mask = (rows[:, None] < M) & (cols[None, :] < N)
    tl.store(out_ptr + rows[:, None] * stride_om + cols[None, :] * stride_on, acc, mask=out_mask)


def multiply(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor, block: int = 64) -> torch.Tensor:
    """Write x @ y to out, (M, N), in one launch, and return out; all three may have any strides."""
    (M, K), (_, N) = x.shape, y.shape
    if M == 0 or N == 0:
        return out
    (xm, xk), (yk, yn), (om, on) = x.stride(), y.stride(), out.stride()
    grid = (triton.cdiv(M, block), triton.cdiv(N, block))
    dot_kernel[grid](x, y, out, M, N, K, xm, xk, yk, yn, om, on, BLOCK_M=block, BLOCK_N=block, BLOCK_K=block // 2)
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
        g = g.contiguous()
        need_a, need_b = ctx.needs_input_grad[:2]
        da = torch.empty_like(a) if need_a else None
        db = torch.empty_like(b) if need_b else None
        if need_a:
            y_t = b if ctx.transpose_b else b.T
            multiply(g, y_t, da.T if ctx.transpose_a else da)
        if need_b:
            x_t = a if ctx.transpose_a else a.T
            multiply(x_t, g, db.T if ctx.transpose_b else db)
        return da, db, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    """Return x @ y, (M, N), for x = a or a.T, y = b or b.T: float16 or bfloat16, any strides; differentiable."""
    return Dot.apply(a, b, transpose_a, transpose_b)
