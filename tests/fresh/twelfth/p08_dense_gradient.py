import torch
import triton
import triton.language as tl


def reference(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    """Return x @ y for x = a or a.T, y = b or b.T, computed in float32; PyTorch knows how to differentiate that."""
    x, y = (a.T if transpose_a else a), (b.T if transpose_b else b)
    return (x.float() @ y.float()).to(a.dtype)


@triton.heuristics({"EVEN_K": lambda args: args["K"] % args["BLOCK_K"] == 0})
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
    EVEN_K: tl.constexpr,
):
    """Write one tile of x @ y to out, (BLOCK_M, BLOCK_N)."""
    pid_m, pid_n = tl.program_id(0).to(tl.int64), tl.program_id(1).to(tl.int64)
    rows = (pid_m * BLOCK_M + tl.arange(0, BLOCK_M))[:, None]
    cols = (pid_n * BLOCK_N + tl.arange(0, BLOCK_N))[None, :]
    lanes = tl.arange(0, BLOCK_K).to(tl.int64)

    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        ks = start + lanes
        x_ptrs = x_ptr + rows * stride_xm + ks[None, :] * stride_xk
        y_ptrs = y_ptr + ks[:, None] * stride_yk + cols * stride_yn
        if EVEN_K:
            x = tl.load(x_ptrs, mask=rows < M, other=0.0)
            y = tl.load(y_ptrs, mask=cols < N, other=0.0)
        else:
            x = tl.load(x_ptrs, mask=(rows < M) & (ks[None, :] < K), other=0.0)
            y = tl.load(y_ptrs, mask=(cols < N) & (ks[:, None] < K), other=0.0)
        acc = tl.dot(x, y, acc)

    tl.store(out_ptr + rows * stride_om + cols * stride_on, acc, mask=(rows < M) & (cols < N))


def strides_of(t: torch.Tensor, flip: bool) -> tuple[int, int]:
    """Return the strides of t, exchanged where it is to be read as its transpose."""
    down, right = t.stride()
    return (right, down) if flip else (down, right)


def launch(x, sx, y, sy, out, so, M, N, K):
    """Write x @ y to out; sx, sy and so are the strides, the shapes are (M, K), (K, N) and (M, N)."""
    if M and N:
        grid = (triton.cdiv(M, 64), triton.cdiv(N, 64))
        dot_kernel[grid](x, y, out, M, N, K, *sx, *sy, *so, BLOCK_M=64, BLOCK_N=64, BLOCK_K=32, num_warps=4)
    return out


class Dot(torch.autograd.Function):
    """Tell PyTorch what runs forwards and what runs back."""

    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        """Return x @ y, (M, N)."""
        M, K = reversed(a.shape) if transpose_a else a.shape
        N = b.shape[0] if transpose_b else b.shape[1]
        ctx.save_for_backward(a, b)
        ctx.flips = transpose_a, transpose_b
        ctx.sizes = M, N, K
        out = torch.empty((M, N), dtype=a.dtype, device=a.device)
        return launch(a, strides_of(a, transpose_a), b, strides_of(b, transpose_b), out, out.stride(), M, N, K)

    @staticmethod
    def backward(ctx, g):
        """Return the gradients of a and b, each `None` where nobody asks for it, and `None` twice."""
        a, b = ctx.saved_tensors
        flip_a, flip_b = ctx.flips
        M, N, K = ctx.sizes
        grad_a = grad_b = None
        sg = (N, 1)
        if ctx.needs_input_grad[0]:
            grad_a = torch.empty_like(a)
            launch(g, sg, b, strides_of(b, not flip_b), grad_a, strides_of(grad_a, flip_a), M, K, N)
        if ctx.needs_input_grad[1]:
            grad_b = torch.empty_like(b)
            launch(a, strides_of(a, not flip_a), g, sg, grad_b, strides_of(grad_b, flip_b), K, N, M)
        return grad_a, grad_b, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    """Return x @ y, (M, N), for x = a or a.T, y = b or b.T: float16 or bfloat16, any strides; differentiable."""
    return Dot.apply(a, b, transpose_a, transpose_b)
