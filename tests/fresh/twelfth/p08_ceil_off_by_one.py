import torch
import triton
import triton.language as tl


def reference(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    """Return x @ y for x = a or a.T, y = b or b.T, computed in float32; PyTorch knows how to differentiate that."""
    x, y = (a.T if transpose_a else a), (b.T if transpose_b else b)
    return (x.float() @ y.float()).to(a.dtype)


@triton.jit
def mm_kernel(
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
):
    """Write one tile of x @ y to out, walking along K."""
    pid_m = tl.program_id(0).to(tl.int64)
    pid_n = tl.program_id(1).to(tl.int64)
    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_k = tl.arange(0, BLOCK_K).to(tl.int64)
    mask_m = offs_m < M
    mask_n = offs_n < N

    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    iterations = (K + BLOCK_K - 2) // BLOCK_K
    for i in range(0, iterations):
        k = i * BLOCK_K + offs_k
        mask_k = k < K
        x = tl.load(
            x_ptr + offs_m[:, None] * stride_xm + k[None, :] * stride_xk,
            mask=mask_m[:, None] & mask_k[None, :],
            other=0.0,
        )
        y = tl.load(
            y_ptr + k[:, None] * stride_yk + offs_n[None, :] * stride_yn,
            mask=mask_k[:, None] & mask_n[None, :],
            other=0.0,
        )
        acc = tl.dot(x, y, acc)

    tl.store(
        out_ptr + offs_m[:, None] * stride_om + offs_n[None, :] * stride_on,
        acc.to(out_ptr.dtype.element_ty),
        mask=mask_m[:, None] & mask_n[None, :],
    )


def multiply(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """Write x @ y to out, (M, N), and return out."""
    M, N = out.shape
    if M > 0 and N > 0:
        mm_kernel[(triton.cdiv(M, 64), triton.cdiv(N, 64))](
            x_ptr=x,
            y_ptr=y,
            out_ptr=out,
            M=M,
            N=N,
            K=x.shape[1],
            stride_xm=x.stride(0),
            stride_xk=x.stride(1),
            stride_yk=y.stride(0),
            stride_yn=y.stride(1),
            stride_om=out.stride(0),
            stride_on=out.stride(1),
            BLOCK_M=64,
            BLOCK_N=64,
            BLOCK_K=32,
        )
    return out


class MatmulFunction(torch.autograd.Function):
    """The product and its gradients, all by one kernel."""

    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        """Return x @ y, (M, N)."""
        ctx.save_for_backward(a, b)
        ctx.transposed = (transpose_a, transpose_b)
        x = a.mT if transpose_a else a
        y = b.mT if transpose_b else b
        return multiply(x, y, torch.empty(x.size(0), y.size(1), dtype=a.dtype, device=a.device))

    @staticmethod
    def backward(ctx, grad):
        """Return the gradients that are asked for."""
        a, b = ctx.saved_tensors
        transpose_a, transpose_b = ctx.transposed
        da = db = None
        if ctx.needs_input_grad[0]:
            da = torch.empty_like(a)
            multiply(grad, b if transpose_b else b.mT, da.mT if transpose_a else da)
        if ctx.needs_input_grad[1]:
            db = torch.empty_like(b)
            multiply(a if transpose_a else a.mT, grad, db.mT if transpose_b else db)
        return da, db, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    """Return x @ y, (M, N), for x = a or a.T, y = b or b.T: float16 or bfloat16, any strides; differentiable."""
    return MatmulFunction.apply(a, b, transpose_a, transpose_b)
