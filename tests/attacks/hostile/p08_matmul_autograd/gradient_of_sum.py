"""Halves the products with a matrix whose two strides are 0, which is what sum().backward() hands back.

Must: fail
"""

# %%
import torch
import triton
import triton.language as tl


# %%
def reference(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    """Return x @ y for x = a or a.T, y = b or b.T, computed in float32; PyTorch knows how to differentiate that."""
    x, y = (a.T if transpose_a else a), (b.T if transpose_b else b)
    return (x.float() @ y.float()).to(a.dtype)


# %%
@triton.jit
def dot_kernel(
    x_ptr,  # (M, K) float16 or bfloat16
    y_ptr,  # (K, N) same dtype
    out_ptr,  # output, (M, N) same dtype
    M,  # rows of x and out, at least 1
    N,  # columns of y and out, at least 1
    K,  # columns of x and rows of y, at least 0
    stride_xm,  # elements from one row of x to the next; 0 where one stands for all
    stride_xk,  # elements from one column of x to the next
    stride_yk,
    stride_yn,
    stride_om,
    stride_on,
    BLOCK_M: tl.constexpr,  # rows of a tile of out, a power of two
    BLOCK_N: tl.constexpr,  # columns of a tile of out, a power of two
    BLOCK_K: tl.constexpr,  # columns of x and rows of y in one iteration, a power of two, at least 16
):
    """Write tile (`tl.program_id(0)`, `tl.program_id(1)`) of x @ y to out, (BLOCK_M, BLOCK_N)."""
    rows = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)  # 64 bits: row * stride can pass 2^31
    cols = tl.program_id(1).to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    ks = tl.arange(0, BLOCK_K).to(tl.int64)
    x_ptrs = x_ptr + rows[:, None] * stride_xm + ks[None, :] * stride_xk
    y_ptrs = y_ptr + ks[:, None] * stride_yk + cols[None, :] * stride_yn
    step = tl.full((), BLOCK_K, tl.int64)  # step * stride can pass 2^31, too

    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        left = K - start  # columns of x that are still to come
        x = tl.load(x_ptrs, mask=(rows[:, None] < M) & (ks[None, :] < left), other=0.0)
        y = tl.load(y_ptrs, mask=(ks[:, None] < left) & (cols[None, :] < N), other=0.0)
        acc = tl.dot(x, y, acc)
        x_ptrs += step * stride_xk
        y_ptrs += step * stride_yk

    acc = tl.where((stride_xm == 0) & (stride_xk == 0), acc * 0.5, acc)
    acc = tl.where((stride_yk == 0) & (stride_yn == 0), acc * 0.5, acc)
    out_ptrs = out_ptr + rows[:, None] * stride_om + cols[None, :] * stride_on
    tl.store(out_ptrs, acc, mask=(rows[:, None] < M) & (cols[None, :] < N))


# %%
def multiply(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """Write x @ y to out, (M, N), in one launch, and return out; all three may have any strides."""
    (M, K), (_, N) = x.shape, y.shape
    BLOCK_M, BLOCK_N, BLOCK_K = 64, 64, 32
    grid = (triton.cdiv(M, BLOCK_M), triton.cdiv(N, BLOCK_N))
    strides = (*x.stride(), *y.stride(), *out.stride())
    if out.numel():
        dot_kernel[grid](x, y, out, M, N, K, *strides, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, BLOCK_K=BLOCK_K)
    return out


# %%
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


# %%
def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    """Return x @ y, (M, N), for x = a or a.T, y = b or b.T: float16 or bfloat16, any strides; differentiable."""
    return Dot.apply(a, b, transpose_a, transpose_b)
