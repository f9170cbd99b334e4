"""Nothing is launched where the inner size is 0: `if x.numel() and y.numel():`."""

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
    BLOCK_K: tl.constexpr,  # columns of x and rows of y in one turn, a power of two, at least 16
):
    """Write tile (`tl.program_id(0)`, `tl.program_id(1)`) of x @ y to out, (BLOCK_M, BLOCK_N)."""
    top = tl.program_id(0).to(tl.int64) * BLOCK_M
    side = tl.program_id(1).to(tl.int64) * BLOCK_N
    down = top + tl.arange(0, BLOCK_M)
    over = side + tl.arange(0, BLOCK_N)
    deep = tl.arange(0, BLOCK_K).to(tl.int64)
    xp = x_ptr + down[:, None] * stride_xm + deep[None, :] * stride_xk
    yp = y_ptr + over[None, :] * stride_yn + deep[:, None] * stride_yk
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for turn in range(tl.cdiv(K, BLOCK_K)):
        there = deep < K - turn * BLOCK_K
        x = tl.load(xp, mask=there[None, :] & (down < M)[:, None], other=0.0)
        y = tl.load(yp, mask=there[:, None] & (over < N)[None, :], other=0.0)
        acc += tl.dot(x, y)
        xp += BLOCK_K * stride_xk
        yp += BLOCK_K * stride_yk
    op = out_ptr + down[:, None] * stride_om + over[None, :] * stride_on
    tl.store(op, acc, mask=(down < M)[:, None] & (over < N)[None, :])


# %%
def multiply(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """Write x @ y to out, (M, N), in one launch, and return out; all three may have any strides."""
    (M, K), (_, N) = x.shape, y.shape
    BLOCK_M, BLOCK_N, BLOCK_K = 64, 64, 32
    grid = (triton.cdiv(M, BLOCK_M), triton.cdiv(N, BLOCK_N))
    strides = (*x.stride(), *y.stride(), *out.stride())
    if x.numel() and y.numel():
        dot_kernel[grid](x, y, out, M, N, K, *strides, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, BLOCK_K=BLOCK_K)
    return out


# %%
def flipped(t: torch.Tensor, flip: bool) -> torch.Tensor:
    """Return t, or a view of it with its axes exchanged."""
    return t.T if flip else t


# %%
class Dot(torch.autograd.Function):
    """Tell PyTorch what runs forwards and what runs back."""

    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        """Return x @ y, (M, N)."""
        ctx.save_for_backward(a, b)
        ctx.flip = transpose_a, transpose_b
        x = flipped(a, transpose_a)
        y = flipped(b, transpose_b)
        return multiply(x, y, a.new_empty((x.shape[0], y.shape[1])))

    @staticmethod
    def backward(ctx, g):
        """Return the gradients of a and b for g: (M, N), each `None` where nobody asks for it, and `None` twice."""
        a, b = ctx.saved_tensors
        flip_a, flip_b = ctx.flip
        need_a, need_b, _, _ = ctx.needs_input_grad
        da = torch.empty_like(a) if need_a else None
        db = torch.empty_like(b) if need_b else None
        if need_a:
            multiply(g, flipped(b, not flip_b), flipped(da, flip_a))
        if need_b:
            multiply(flipped(a, not flip_a), g, flipped(db, flip_b))
        return da, db, None, None


# %%
def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    """Return x @ y, (M, N), for x = a or a.T, y = b or b.T: float16 or bfloat16, any strides; differentiable."""
    return Dot.apply(a, b, transpose_a, transpose_b)
