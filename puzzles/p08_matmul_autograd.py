# %% [markdown]
# # 8. A matrix product that can be trained: autograd, and four products that nobody copies
#
# $$C = \mathrm{op}(A)\, \mathrm{op}(B), \qquad \mathrm{op}(X) = X \text{ or } X^T, \qquad
# \mathrm{op}(A): (M, K), \quad \mathrm{op}(B): (K, N).$$
#
# PyTorch does not know how to differentiate a Triton kernel. A `torch.autograd.Function` tells it: `forward` computes
# $C$ and leaves in `ctx` what `backward` will need; `backward` gets $G$, the gradient of the loss with respect to $C$,
# of the shape of $C$, and returns one gradient for each argument of `forward`, `None` for those that are no tensors.
#
# **The gradients are products again.** With $X = \mathrm{op}(A)$ and $Y = \mathrm{op}(B)$,
#
# $$dX = G\, Y^T, \qquad dY = X^T G.$$
#
# Shapes tell which factor comes first: $dX$ is $(M, K)$ like $X$, $G$ is $(M, N)$ and $Y^T$ is $(N, K)$. Where $A$ was
# transposed, $X = A^T$, and $dA$ is the transpose of $dX$: a gradient has the shape of its tensor.
#
# **Nobody copies.** `x.T` is the same memory with the two strides exchanged. A kernel that is given both strides of a
# matrix reads `x` and `x.T` alike, and writes them alike: to store $dX$ into the memory of $dA = dX^T$ is a store with
# exchanged strides. So one kernel does all products, forwards and back, transposed or not, and `.contiguous()` has
# nothing to do.
#
#     x = [[0, 1, 2],     x.stride() = (3, 1)     x[i, j] is element 3 i + j
#          [3, 4, 5]]     x.T.stride() = (1, 3)   x.T[i, j] is element i + 3 j, the same as x[j, i]
#
# **What is asked for.** `ctx.needs_input_grad` has a truth value for each argument of `forward`. The first layer of a
# network needs no gradient of its input: to compute one would cost a third of all its work.
#
# **What to watch.**
#
# - $G$ may have any strides: that of a mean or a sum is one number for all elements, with a stride of 0.
# - A graph may be differentiated twice (`retain_graph=True`). What `backward` returned the first time belongs to
#   the caller: the second pass needs memory of its own, and adds to nothing.
# - In $dA$ the sum goes along $N$, in $dB$ along $M$. If one of them is 0, there is still a gradient to be written.
#
# **What a, b and g may hold:** fp16 or bf16, all three the same. Sums are fp32, and rounded once.
# **What you may keep** from puzzle 7: the kernel, without its activation. GROUP_M is optional here, the autotuner too.
#
# **Limits:** one launch forwards, and one for each gradient that is asked for. No copies, no scratch.
# **Traffic to reach:** in each product the left matrix once for 64 columns of the result, the right one for 64 rows.

# %%
import torch
import triton
import triton.language as tl


# %%
def reference(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    """Return op(a) @ op(b), where op transposes what it is asked to; PyTorch knows how to differentiate that.

    a: (M, K), or (K, M) if transpose_a; float16 or bfloat16, any strides
    b: (K, N), or (N, K) if transpose_b; same dtype, any strides
    returns: (M, N), dtype of a, computed in float32 and rounded once
    """
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
    BLOCK_K: tl.constexpr,  # columns of x and rows of y in one turn, a power of two, at least 16
):
    """Write tile (`tl.program_id(0)`, `tl.program_id(1)`) of x @ y to out, (BLOCK_M, BLOCK_N)."""
    # TODO: pointers, the loop along K, the store, as in puzzle 7 (about 16 lines)


# %%
def multiply(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """Write x @ y to out, in one launch, and return out.

    x: (M, K), y: (K, N), out: (M, N); the same dtype, any strides
    """
    (M, K), (_, N) = x.shape, y.shape
    if out.numel() == 0:
        return out
    BLOCK_M, BLOCK_N, BLOCK_K = 64, 64, 32
    grid = (triton.cdiv(M, BLOCK_M), triton.cdiv(N, BLOCK_N))
    strides = (*x.stride(), *y.stride(), *out.stride())
    dot_kernel[grid](x, y, out, M, N, K, *strides, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, BLOCK_K=BLOCK_K)
    return out


# %%
class Dot(torch.autograd.Function):
    """Tell PyTorch what runs forwards and what runs back."""

    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        """Return op(a) @ op(b): (M, N)."""
        ctx.save_for_backward(a, b)
        ctx.transpose_a, ctx.transpose_b = transpose_a, transpose_b
        x, y = (a.T if transpose_a else a), (b.T if transpose_b else b)
        return multiply(x, y, torch.empty((x.shape[0], y.shape[1]), dtype=a.dtype, device=a.device))

    @staticmethod
    def backward(ctx, g):
        """Return the gradients of a, of b, and of two arguments that have none.

        g: (M, N), any strides
        returns: like a, like b, each `None` where `ctx.needs_input_grad` says so; and `None` twice
        """
        a, b = ctx.saved_tensors
        # TODO: two products, each only if it is asked for (about 9 lines)
        return torch.empty_like(a), torch.empty_like(b), None, None


# %%
def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    """Return op(a) @ op(b), differentiable.

    a: (M, K), or (K, M) if transpose_a; float16 or bfloat16, any strides
    b: (K, N), or (N, K) if transpose_b; same dtype, any strides
    returns: (M, N), dtype of a, contiguous
    """
    return Dot.apply(a, b, transpose_a, transpose_b)
