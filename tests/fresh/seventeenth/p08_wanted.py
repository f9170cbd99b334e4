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
    """out = x @ y"""
    M, K = x.shape
    N = y.shape[1]
    if M == 0 or N == 0:
        return out
    grid = (triton.cdiv(M, 64), triton.cdiv(N, 64))
    dot_kernel[grid](
        x, y, out, M, N, K, *x.stride(), *y.stride(), *out.stride(), BLOCK_M=64, BLOCK_N=64, BLOCK_K=64
    )
    return out


class Dot(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        ctx.save_for_backward(a, b)
        ctx.flags = (transpose_a, transpose_b)
        x = a.T if transpose_a else a
        y = b.T if transpose_b else b
        return multiply(x, y, a.new_empty((x.shape[0], y.shape[1])))

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        transpose_a, transpose_b = ctx.flags
        want_b, want_a = ctx.needs_input_grad[:2]
        grad_a = torch.empty_like(a) if want_a else None
        grad_b = torch.empty_like(b) if want_b else None
        if want_a:
            dx = grad_a.T if transpose_a else grad_a
            multiply(g, b if transpose_b else b.T, dx)
        if want_b:
            dy = grad_b.T if transpose_b else grad_b
            multiply(a if transpose_a else a.T, g, dy)
        return grad_a, grad_b, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    return Dot.apply(a, b, transpose_a, transpose_b)
