import torch
import triton
import triton.language as tl


def reference(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    """Return x @ y for x = a or a.T, y = b or b.T."""
    x, y = (a.T if transpose_a else a), (b.T if transpose_b else b)
    return (x.float() @ y.float()).to(a.dtype)


@triton.jit
def _tile(ptr, rows, cols, n_rows, n_cols, row_stride, col_stride):
    inside = (rows < n_rows)[:, None] & (cols < n_cols)[None, :]
    return tl.load(ptr + (rows * row_stride)[:, None] + (cols * col_stride)[None, :], mask=inside, other=0.0)


@triton.jit
def dot_kernel(
    x_ptr,
    y_ptr,
    out_ptr,
    M,
    N,
    K,
    sxm,
    sxk,
    syk,
    syn,
    som,
    son,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    i = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    j = tl.program_id(1).to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for step in range(tl.cdiv(K, BLOCK_K)):
        k = step * BLOCK_K + tl.arange(0, BLOCK_K).to(tl.int64)
        left = _tile(x_ptr, i, k, M, K, sxm, sxk)
        right = _tile(y_ptr, k, j, K, N, syk, syn)
        total += tl.dot(left, right)
    spots = out_ptr + (i * som)[:, None] + (j * son)[None, :]
    tl.store(spots, total, mask=(i < M)[:, None] & (j < N)[None, :])


def multiply(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    M, N = out.shape
    K = x.shape[1]
    if M == 0 or N == 0:
        return out
    grid = (triton.cdiv(M, 64), triton.cdiv(N, 64))
    dot_kernel[grid](
        x,
        y,
        out,
        M,
        N,
        K,
        *x.stride(),
        *y.stride(),
        *out.stride(),
        BLOCK_M=64,
        BLOCK_N=64,
        BLOCK_K=64,
        num_warps=4,
    )
    return out


class Dot(torch.autograd.Function):
    """The product of two matrices, either of them transposed on demand."""

    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        x = a.T if transpose_a else a
        y = b.T if transpose_b else b
        ctx.flags = (transpose_a, transpose_b)
        ctx.save_for_backward(x, y)
        return multiply(x, y, a.new_empty((x.shape[0], y.shape[1])))

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        flip_a, flip_b = ctx.flags
        want_a, want_b = ctx.needs_input_grad[:2]
        grad_a = grad_b = None
        if want_a:
            grad_a = torch.empty(a.shape, dtype=a.dtype, device=a.device)
            y = b.T if flip_b else b
            if flip_a:
                multiply(y, g.T, grad_a)
            else:
                multiply(g, y.T, grad_a)
        if want_b:
            grad_b = torch.empty(b.shape, dtype=b.dtype, device=b.device)
            x = a.T if flip_a else a
            if flip_b:
                multiply(g.T, x, grad_b)
            else:
                multiply(x.T, g, grad_b)
        return grad_a, grad_b, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    return Dot.apply(a, b, transpose_a, transpose_b)
