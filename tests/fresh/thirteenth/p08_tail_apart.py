import torch
import triton
import triton.language as tl


def reference(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    x, y = (a.T if transpose_a else a), (b.T if transpose_b else b)
    return (x.float() @ y.float()).to(a.dtype)


@triton.jit
def add_products(acc, x_base, y_base, k, stride_xk, stride_yk, m_in, n_in, K, MASK_K: tl.constexpr):
    """Return acc plus the products along k."""
    x_mask = m_in[:, None]
    y_mask = n_in[None, :]
    if MASK_K:
        x_mask = x_mask & (k < K)[None, :]
        y_mask = y_mask & (k < K)[:, None]
    x = tl.load(x_base + k[None, :] * stride_xk, mask=x_mask, other=0.0)
    y = tl.load(y_base + k[:, None] * stride_yk, mask=y_mask, other=0.0)
    return tl.dot(x, y, acc)


@triton.jit
def dot_kernel(
    x_ptr, y_ptr, out_ptr, M, N, K,
    stride_xm, stride_xk, stride_yk, stride_yn, stride_om, stride_on,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    m = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1).to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    x_base = x_ptr + m[:, None] * stride_xm
    y_base = y_ptr + n[None, :] * stride_yn
    lane = tl.arange(0, BLOCK_K).to(tl.int64)

    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    whole = K // BLOCK_K * BLOCK_K
    for k in range(0, whole, BLOCK_K):
        acc = add_products(acc, x_base, y_base, k + lane, stride_xk, stride_yk, m < M, n < N, K, False)
    if whole < K:
        acc = add_products(acc, x_base, y_base, whole + lane, stride_xk, stride_yk, m < M, n < N, K, True)

    tile = out_ptr + m[:, None] * stride_om + n[None, :] * stride_on
    tl.store(tile, acc, mask=(m < M)[:, None] & (n < N)[None, :])


def multiply(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """Write x @ y to out."""
    (M, K), N = x.shape, y.shape[1]
    sizes = {"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32}
    if out.numel():
        grid = (triton.cdiv(M, sizes["BLOCK_M"]), triton.cdiv(N, sizes["BLOCK_N"]))
        dot_kernel[grid](x, y, out, M, N, K, *x.stride(), *y.stride(), *out.stride(), **sizes)
    return out


class Dot(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        ctx.save_for_backward(a, b)
        ctx.transpose_a, ctx.transpose_b = transpose_a, transpose_b
        x, y = (a.T if transpose_a else a), (b.T if transpose_b else b)
        c = torch.empty(x.shape[0], y.shape[1], dtype=a.dtype, device=a.device)
        return multiply(x, y, c)

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        da = db = None
        need_a = need_b = any(ctx.needs_input_grad)
        if need_a:
            da = torch.empty_like(a)
            dx = da.T if ctx.transpose_a else da
            multiply(g, b if ctx.transpose_b else b.T, dx)
        if need_b:
            db = torch.empty_like(b)
            dy = db.T if ctx.transpose_b else db
            multiply(a if ctx.transpose_a else a.T, g, dy)
        return da, db, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    return Dot.apply(a, b, transpose_a, transpose_b)
