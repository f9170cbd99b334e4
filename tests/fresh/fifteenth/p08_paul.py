import torch
import triton
import triton.language as tl


def reference(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    x, y = (a.T if transpose_a else a), (b.T if transpose_b else b)
    return (x.float() @ y.float()).to(a.dtype)


@triton.jit
def mm_kernel(
    x_ptr, y_ptr, out_ptr, M, N, K,
    x_s0, x_s1, y_s0, y_s1, out_s0, out_s1,
    BLOCK: tl.constexpr, BLOCK_K: tl.constexpr,
):
    pid = tl.program_id(0).to(tl.int64)
    per_row = tl.cdiv(N, BLOCK)
    m = (pid // per_row * BLOCK + tl.arange(0, BLOCK))[:, None]
    n = (pid % per_row * BLOCK + tl.arange(0, BLOCK))[None, :]
    acc = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k0 in range(0, K, BLOCK_K):
        k = k0 + tl.arange(0, BLOCK_K).to(tl.int64)
        x = tl.load(x_ptr + m * x_s0 + k[None, :] * x_s1, mask=(m < M) & (k[None, :] < K), other=0.0)
        y = tl.load(y_ptr + k[:, None] * y_s0 + n * y_s1, mask=(k[:, None] < K) & (n < N), other=0.0)
        acc = tl.dot(x, y, acc)
    tl.store(out_ptr + m * out_s0 + n * out_s1, acc, mask=(m < M) & (n < N))


def mm(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    M, K = x.size()
    N = y.size(1)
    if M > 0 and N > 0:
        grid = (triton.cdiv(M, 64) * triton.cdiv(N, 64),)
        mm_kernel[grid](
            x, y, out, M, N, K, *x.stride(), *y.stride(), *out.stride(), BLOCK=64, BLOCK_K=32, num_warps=4
        )
    return out


def maybe_t(t: torch.Tensor, transpose: bool) -> torch.Tensor:
    return t.t() if transpose else t


class DotFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        ctx.save_for_backward(a, b)
        ctx.transpose = transpose_a, transpose_b
        x, y = maybe_t(a, transpose_a), maybe_t(b, transpose_b)
        return mm(x, y, a.new_empty(x.size(0), y.size(1)))

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        transpose_a, transpose_b = ctx.transpose
        x, y = maybe_t(a, transpose_a), maybe_t(b, transpose_b)
        grad_output = grad_output.contiguous()
        grad_a = grad_b = None
        if ctx.needs_input_grad[0]:
            grad_a = torch.empty_like(a)
            mm(grad_output, y.t(), maybe_t(grad_a, transpose_a))
        if ctx.needs_input_grad[1]:
            grad_b = torch.empty_like(b)
            mm(x.t(), grad_output, maybe_t(grad_b, transpose_b))
        return grad_a, grad_b, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    return DotFunction.apply(a, b, transpose_a, transpose_b)
