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
    pid_m = tl.program_id(0).to(tl.int64)
    pid_n = tl.program_id(1).to(tl.int64)
    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_k = tl.arange(0, BLOCK_K).to(tl.int64)
    x_row = x_ptr + offs_m[:, None] * stride_xm
    y_col = y_ptr + offs_n[None, :] * stride_yn
    row_in = offs_m[:, None] < M
    col_in = offs_n[None, :] < N
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        now = offs_k + k * BLOCK_K
        x = tl.load(x_row + now[None, :] * stride_xk, mask=row_in & (now[None, :] < K), other=0.0)
        y = tl.load(y_col + now[:, None] * stride_yk, mask=col_in & (now[:, None] < K), other=0.0)
        acc = tl.dot(x, y, acc)
    out = out_ptr + offs_m[:, None] * stride_om + offs_n[None, :] * stride_on
    tl.store(out, acc.to(out_ptr.dtype.element_ty), mask=row_in & col_in)


def multiply(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    (M, K), (_, N) = x.shape, y.shape
    if out.numel() == 0:
        return out
    grid = (triton.cdiv(M, 64), triton.cdiv(N, 64))
    dot_kernel[grid](
        x, y, out, M, N, K,
        *x.stride(), *y.stride(), *out.stride(),
        BLOCK_M=64, BLOCK_N=64, BLOCK_K=64,
    )
    return out


def turned(t: torch.Tensor, flag: bool) -> torch.Tensor:
    return t.T if flag else t


class Dot(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        x = turned(a, transpose_a)
        y = turned(b, transpose_b)
        ctx.flags = transpose_a, transpose_b
        ctx.save_for_backward(x, y)
        c = torch.empty((x.shape[0], y.shape[1]), dtype=a.dtype, device=a.device)
        return multiply(x, y, c)

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        ta, tb = ctx.flags
        x, y = turned(a, ta), turned(b, tb)
        grad_a = grad_b = None
        if ctx.needs_input_grad[0]:
            grad_a = torch.empty_like(a)
            multiply(g, y.T, turned(grad_a, ta))
        if ctx.needs_input_grad[1]:
            grad_b = torch.empty_like(b)
            multiply(x.T, g, turned(grad_b, tb))
        return grad_a, grad_b, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    return Dot.apply(a, b, transpose_a, transpose_b)
