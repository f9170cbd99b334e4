# %% [markdown]
# # 8. A matrix product that can be trained
#
# $$C = X Y, \qquad X = A \text{ or } A^T: (M, K), \qquad Y = B \text{ or } B^T: (K, N), \qquad C: (M, N).$$
#
# PyTorch does not know how to differentiate a Triton kernel. A `torch.autograd.Function` tells it. `forward` computes
# $C$ and leaves in `ctx` what `backward` will need. `backward` gets $G$, the gradient of the loss with respect to $C$,
# and returns one gradient for each argument of `forward`, or `None`.
#
# **The gradients are products again,** with $G: (M, N)$ as one factor:
#
# $$dX = G\, Y^T, \qquad dY = X^T G.$$
#
# Shapes tell which factor comes first: $dX$ is $(M, K)$, and so is $(M, N)$ times $(N, K)$. A gradient has the shape of
# its tensor: where $X = A^T$, $dA$ is the transpose of $dX$.
#
# **No copies.** `x.T` is the same memory with its two strides exchanged:
#
#     x = [[0, 1, 2],    x.stride() = (3, 1)     x[i, j] is 3 i + j
#          [3, 4, 5]]    x.T.stride() = (1, 3)   x.T[i, j] is i + 3 j
#
# A kernel that gets both strides of each matrix reads `x` and `x.T` alike, and writes `out` and `out.T` alike. So one
# kernel does all products, forwards and back, and nothing needs `.contiguous()`.
#
# **What is asked for** stands in `ctx.needs_input_grad`, a truth value for each argument of `forward`. The first layer
# of a network needs no gradient of its input: computing it would be a third of the layer's work.
#
# **What to watch.**
#
# - $G$ may have any strides, 0 among them: the gradient of a sum is one number for all elements.
# - A graph may be differentiated twice (`retain_graph=True`), for another $G$. Each pass returns new memory.
# - $dX$ sums along $N$, and $dY$ along $M$. If $M$ is 0, $dY$ is a sum of nothing: write its zeros.
#
# **What a, b and g may hold:** fp16 or bf16, all the same. **What you may keep** from puzzle 7: the kernel, with or
# without groups and autotuner, and without its activation. Sums are fp32, rounded once.
# **Limits:** one launch forwards; backwards one for each gradient that is asked for. No copies, no scratch.
# **Traffic to reach:** reads the left matrix once per 64 columns of the result, the right one once per 64 rows.

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
    rows = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.program_id(1).to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    ks = tl.arange(0, BLOCK_K).to(tl.int64)
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        k = start + ks
        x_ptrs = x_ptr + rows[:, None] * stride_xm + k[None, :] * stride_xk
        y_ptrs = y_ptr + k[:, None] * stride_yk + cols[None, :] * stride_yn
        x = tl.load(x_ptrs, mask=(rows[:, None] < M) & (k[None, :] < K), other=0.0)
        y = tl.load(y_ptrs, mask=(k[:, None] < K) & (cols[None, :] < N), other=0.0)
        acc = tl.dot(x, y, acc)
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
        # the four cases, each as a product of a, b and g or their transposes
        da = db = None
        if ctx.needs_input_grad[0]:
            right = b if ctx.transpose_b else b.T  # Y^T
            if ctx.transpose_a:
                da = multiply(right.T, g.T, torch.empty_like(a))  # (G Y^T)^T = Y G^T
            else:
                da = multiply(g, right, torch.empty_like(a))
        if ctx.needs_input_grad[1]:
            left = a if ctx.transpose_a else a.T  # X^T
            if ctx.transpose_b:
                db = multiply(g.T, left, torch.empty_like(b))  # (X^T G)^T = G^T X
            else:
                db = multiply(left, g, torch.empty_like(b))
        return da, db, None, None


# %%
def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    """Return x @ y, (M, N), for x = a or a.T, y = b or b.T: float16 or bfloat16, any strides; differentiable."""
    return Dot.apply(a, b, transpose_a, transpose_b)
