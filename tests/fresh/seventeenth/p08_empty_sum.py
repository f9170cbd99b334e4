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
    rows = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.program_id(1).to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    row_ok = rows[:, None] < M
    col_ok = cols[None, :] < N
    k = tl.arange(0, BLOCK_K).to(tl.int64)
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    done = 0
    while done < K:
        x_ptrs = x_ptr + rows[:, None] * stride_xm + k[None, :] * stride_xk
        y_ptrs = y_ptr + k[:, None] * stride_yk + cols[None, :] * stride_yn
        x = tl.load(x_ptrs, mask=row_ok & (k[None, :] < K), other=0.0)
        y = tl.load(y_ptrs, mask=col_ok & (k[:, None] < K), other=0.0)
        acc += tl.dot(x, y)
        k += BLOCK_K
        done += BLOCK_K
    out = out_ptr + rows[:, None] * stride_om + cols[None, :] * stride_on
    tl.store(out, acc.to(out_ptr.dtype.element_ty), mask=row_ok & col_ok)


def multiply(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    (M, K), (_, N) = x.shape, y.shape
    nothing_to_do = x.numel() == 0 or y.numel() == 0
    if nothing_to_do:
        return out
    BLOCK = 64
    grid = (triton.cdiv(M, BLOCK), triton.cdiv(N, BLOCK))
    dot_kernel[grid](
        x,
        y,
        out,
        M,
        N,
        K,
        x.stride(0),
        x.stride(1),
        y.stride(0),
        y.stride(1),
        out.stride(0),
        out.stride(1),
        BLOCK_M=BLOCK,
        BLOCK_N=BLOCK,
        BLOCK_K=32,
    )
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
