import torch
import triton
import triton.language as tl


def reference(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    x, y = (a.T if transpose_a else a), (b.T if transpose_b else b)
    return (x.float() @ y.float()).to(a.dtype)


@triton.jit
def product(
    p, q, out, M, N, K, p_row, p_col, q_row, q_col, out_row, out_col,
    TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr,
):
    across = tl.cdiv(N, TN)
    pid = tl.program_id(0)
    i = (pid // across).to(tl.int64) * TM + tl.arange(0, TM)
    j = (pid % across).to(tl.int64) * TN + tl.arange(0, TN)
    i_ok = (i < M)[:, None]
    j_ok = (j < N)[None, :]
    p_tile = p + i[:, None] * p_row
    q_tile = q + j[None, :] * q_col

    s = tl.zeros((TM, TN), tl.float32)
    for t in range(0, K, TK):
        k = t + tl.arange(0, TK).to(tl.int64)
        pt = tl.load(p_tile + k[None, :] * p_col, mask=i_ok & (k < K)[None, :], other=0.0)
        qt = tl.load(q_tile + k[:, None] * q_row, mask=j_ok & (k < K)[:, None], other=0.0)
        s = tl.dot(pt, qt, s)
    tl.store(out + i[:, None] * out_row + j[None, :] * out_col, s, mask=i_ok & j_ok)


def multiply(p, q, out):
    M, K = p.shape
    _, N = q.shape
    if p.numel() and q.numel():
        grid = (triton.cdiv(M, 64) * triton.cdiv(N, 64),)
        product[grid](p, q, out, M, N, K, *p.stride(), *q.stride(), *out.stride(), TM=64, TN=64, TK=32)
    return out


class Dot(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        ctx.save_for_backward(a, b)
        ctx.ta, ctx.tb = transpose_a, transpose_b
        x = a.T if transpose_a else a
        y = b.T if transpose_b else b
        return multiply(x, y, torch.empty((x.shape[0], y.shape[1]), dtype=a.dtype, device=a.device))

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        grad_a = None
        if ctx.needs_input_grad[0]:
            grad_a = torch.empty_like(a)
            left, right, target = g, (b if ctx.tb else b.T), (grad_a.T if ctx.ta else grad_a)
            multiply(left, right, target)
        grad_b = None
        if ctx.needs_input_grad[0]:
            grad_b = torch.empty_like(b)
            left, right, target = (a if ctx.ta else a.T), g, (grad_b.T if ctx.tb else grad_b)
            multiply(left, right, target)
        return grad_a, grad_b, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    return Dot.apply(a, b, transpose_a, transpose_b)
