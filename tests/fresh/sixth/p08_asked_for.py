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
    bm = tl.program_id(0) * BLOCK_M
    bn = tl.program_id(1) * BLOCK_N
    px = tl.make_block_ptr(x_ptr, (M, K), (stride_xm, stride_xk), (bm, 0), (BLOCK_M, BLOCK_K), (1, 0))
    py = tl.make_block_ptr(y_ptr, (K, N), (stride_yk, stride_yn), (0, bn), (BLOCK_K, BLOCK_N), (1, 0))
    po = tl.make_block_ptr(out_ptr, (M, N), (stride_om, stride_on), (bm, bn), (BLOCK_M, BLOCK_N), (1, 0))
    sum_ = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for _ in range(0, K, BLOCK_K):
        left = tl.load(px, boundary_check=(0, 1), padding_option="zero")
        right = tl.load(py, boundary_check=(0, 1), padding_option="zero")
        sum_ = tl.dot(left, right, sum_)
        px = tl.advance(px, (0, BLOCK_K))
        py = tl.advance(py, (BLOCK_K, 0))
    tl.store(po, sum_.to(out_ptr.dtype.element_ty), boundary_check=(0, 1))


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
        da, db = None, None
        if ctx.needs_input_grad[0]:
            da = torch.empty_like(a)
            if ctx.transpose_a:
                multiply(g, y.T, da.T)
            else:
                multiply(g, y.T, da)
        if ctx.needs_input_grad[0]:
            db = torch.empty_like(b)
            if ctx.transpose_b:
                multiply(x.T, g, db.T)
            else:
                multiply(x.T, g, db)
        return da, db, None, None


# %%
def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    """Return x @ y, (M, N), for x = a or a.T, y = b or b.T: float16 or bfloat16, any strides; differentiable."""
    return Dot.apply(a, b, transpose_a, transpose_b)
