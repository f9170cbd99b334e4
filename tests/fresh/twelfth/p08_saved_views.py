import torch
import triton
import triton.language as tl


def reference(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    """Return x @ y for x = a or a.T, y = b or b.T, computed in float32; PyTorch knows how to differentiate that."""
    x, y = (a.T if transpose_a else a), (b.T if transpose_b else b)
    return (x.float() @ y.float()).to(a.dtype)


@triton.jit
def tile_product(
    x_ptr, y_ptr, rows, cols, M, N, K, stride_xm, stride_xk, stride_yk, stride_yn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """Return the given rows of x times the given columns of y, in fp32."""
    ks = tl.arange(0, BLOCK_K).to(tl.int64)
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        k = start + ks
        x_mask = (rows[:, None] < M) & (k[None, :] < K)
        y_mask = (k[:, None] < K) & (cols[None, :] < N)
        x = tl.load(x_ptr + rows[:, None] * stride_xm + k[None, :] * stride_xk, mask=x_mask, other=0.0)
        y = tl.load(y_ptr + k[:, None] * stride_yk + cols[None, :] * stride_yn, mask=y_mask, other=0.0)
        acc = tl.dot(x, y, acc)
    return acc


@triton.jit
def dot_kernel(
    x_ptr, y_ptr, out_ptr, M, N, K, stride_xm, stride_xk, stride_yk, stride_yn, stride_om, stride_on,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """Write tile (`tl.program_id(0)`, `tl.program_id(1)`) of x @ y to out."""
    rows = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.program_id(1).to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tile_product(
        x_ptr, y_ptr, rows, cols, M, N, K, stride_xm, stride_xk, stride_yk, stride_yn, BLOCK_M, BLOCK_N, BLOCK_K
    )
    out_ptrs = out_ptr + rows[:, None] * stride_om + cols[None, :] * stride_on
    tl.store(out_ptrs, acc, mask=(rows[:, None] < M) & (cols[None, :] < N))


def multiply(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """Write x @ y to out, (M, N), in one launch, and return out."""
    (M, K), (_, N) = x.shape, y.shape
    block = dict(BLOCK_M=64, BLOCK_N=64, BLOCK_K=32)
    if M * N:
        grid = (triton.cdiv(M, block["BLOCK_M"]), triton.cdiv(N, block["BLOCK_N"]))
        dot_kernel[grid](x, y, out, M, N, K, *x.stride(), *y.stride(), *out.stride(), **block)
    return out


def oriented(t: torch.Tensor, transpose: bool) -> torch.Tensor:
    """Return t or its transpose, a view."""
    return t.T if transpose else t


class Dot(torch.autograd.Function):
    """Tell PyTorch what runs forwards and what runs back."""

    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        """Return x @ y, (M, N)."""
        x, y = oriented(a, transpose_a), oriented(b, transpose_b)
        ctx.save_for_backward(x, y)
        ctx.transpose = transpose_a, transpose_b
        out = torch.empty((x.shape[0], y.shape[1]), dtype=x.dtype, device=x.device)
        return multiply(x, y, out)

    @staticmethod
    def backward(ctx, g):
        """Return the gradients of a and b for g: (M, N), and `None` twice."""
        a, b = ctx.saved_tensors
        transpose_a, transpose_b = ctx.transpose
        grads = [None, None, None, None]
        if ctx.needs_input_grad[0]:
            grads[0] = torch.empty_like(a)
            multiply(g, oriented(b, not transpose_b), oriented(grads[0], transpose_a))
        if ctx.needs_input_grad[1]:
            grads[1] = torch.empty_like(b)
            multiply(oriented(a, not transpose_a), g, oriented(grads[1], transpose_b))
        return tuple(grads)


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    """Return x @ y, (M, N), for x = a or a.T, y = b or b.T: float16 or bfloat16, any strides; differentiable."""
    return Dot.apply(a, b, transpose_a, transpose_b)
