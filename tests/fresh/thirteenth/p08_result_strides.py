import torch
import triton
import triton.language as tl


def reference(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    x, y = (a.T if transpose_a else a), (b.T if transpose_b else b)
    return (x.float() @ y.float()).to(a.dtype)


@triton.jit
def dot_kernel(
    x_ptr, y_ptr, out_ptr, M, N, K,
    stride_xm, stride_xk, stride_yk, stride_yn, stride_om, stride_on,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    """One program per tile, numbered along the rows of the result."""
    number = tl.program_id(0)
    across = tl.cdiv(N, BLOCK_N)
    m0 = (number // across).to(tl.int64) * BLOCK_M
    n0 = (number % across).to(tl.int64) * BLOCK_N
    m = m0 + tl.arange(0, BLOCK_M)[:, None]
    n = n0 + tl.arange(0, BLOCK_N)[None, :]
    lane = tl.arange(0, BLOCK_K).to(tl.int64)
    lane_x, lane_y = lane[None, :], lane[:, None]

    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        x_cols = k + lane_x
        y_rows = k + lane_y
        x = tl.load(x_ptr + (m * stride_xm + x_cols * stride_xk), mask=(m < M) & (x_cols < K), other=0.0)
        y = tl.load(y_ptr + (y_rows * stride_yk + n * stride_yn), mask=(y_rows < K) & (n < N), other=0.0)
        acc = tl.dot(x, y, acc)
    tl.store(out_ptr + (m * stride_om + n), acc, mask=(m < M) & (n < N))


def multiply(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """Write x @ y to out."""
    M, K = x.shape
    N = y.shape[1]
    tiles = triton.cdiv(M, 64) * triton.cdiv(N, 128)
    if tiles:
        strides = x.stride() + y.stride() + out.stride()
        dot_kernel[(tiles,)](x, y, out, M, N, K, *strides, BLOCK_M=64, BLOCK_N=128, BLOCK_K=32, num_warps=4)
    return out


class Dot(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        ctx.save_for_backward(a, b)
        ctx.transpose_a = transpose_a
        ctx.transpose_b = transpose_b
        if transpose_a:
            a = a.T
        if transpose_b:
            b = b.T
        return multiply(a, b, a.new_empty((a.shape[0], b.shape[1])))

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        da, db = None, None
        if ctx.needs_input_grad[0]:
            da = torch.empty(a.shape, dtype=a.dtype, device=a.device)
            multiply(g, b if ctx.transpose_b else b.T, da.T if ctx.transpose_a else da)
        if ctx.needs_input_grad[1]:
            db = torch.empty(b.shape, dtype=b.dtype, device=b.device)
            multiply(a if ctx.transpose_a else a.T, g, db.T if ctx.transpose_b else db)
        return da, db, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    return Dot.apply(a, b, transpose_a, transpose_b)
