import torch
import triton
import triton.language as tl


def reference(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    x, y = (a.T if transpose_a else a), (b.T if transpose_b else b)
    return (x.float() @ y.float()).to(a.dtype)


@triton.jit
def place(ptr, row, col, stride_0, stride_1, FLIP: tl.constexpr):
    """Return where element (row, col) of a matrix is, or of its transpose."""
    if FLIP:
        at = ptr + col * stride_0 + row * stride_1
    else:
        at = ptr + row * stride_0 + col * stride_1
    return at


@triton.jit
def dot_kernel(
    left, right, result, M, N, K,
    l0, l1, r0, r1, s0, s1,
    FLIP_LEFT: tl.constexpr, FLIP_RIGHT: tl.constexpr, FLIP_RESULT: tl.constexpr,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):
    i = tl.expand_dims(tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM), 1)
    j = tl.expand_dims(tl.program_id(1).to(tl.int64) * BN + tl.arange(0, BN), 0)
    acc = tl.zeros([BM, BN], dtype=tl.float32)
    for k in range(0, K, BK):
        ks = tl.arange(0, BK).to(tl.int64) + k
        k_row = tl.expand_dims(ks, 0)
        k_col = tl.expand_dims(ks, 1)
        p = tl.load(place(left, i, k_row, l0, l1, FLIP_LEFT), mask=(i < M) & (k_row < K), other=0.0)
        q = tl.load(place(right, k_col, j, r0, r1, FLIP_RIGHT), mask=(k_col < K) & (j < N), other=0.0)
        acc = tl.dot(p, q, acc)
    tl.store(place(result, i, j, s0, s1, FLIP_RESULT), acc, mask=(i < M) & (j < N))


def multiply(x, y, out, flip_x=False, flip_y=False, flip_out=False):
    """Write op(x) @ op(y) to op(out), where op transposes if asked to."""
    M, K = (x.shape[1], x.shape[0]) if flip_x else (x.shape[0], x.shape[1])
    N = y.shape[0] if flip_y else y.shape[1]
    if M * N > 0:
        dot_kernel[(triton.cdiv(M, 64), triton.cdiv(N, 64))](
            x, y, out, M, N, K, *x.stride(), *y.stride(), *out.stride(),
            FLIP_LEFT=flip_x, FLIP_RIGHT=flip_y, FLIP_RESULT=flip_out, BM=64, BN=64, BK=32,
        )
    return out


class Dot(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        ctx.save_for_backward(a, b)
        ctx.ta, ctx.tb = bool(transpose_a), bool(transpose_b)
        shape = (a.shape[1 if ctx.ta else 0], b.shape[0 if ctx.tb else 1])
        return multiply(a, b, torch.empty(shape, dtype=a.dtype, device=a.device), ctx.ta, ctx.tb)

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        g = g.contiguous()
        da = db = None
        if ctx.needs_input_grad[0]:
            da = torch.empty(a.shape, dtype=a.dtype, device=a.device)
            multiply(g, b, da, flip_y=not ctx.tb, flip_out=ctx.ta)
        if ctx.needs_input_grad[1]:
            db = torch.empty(b.shape, dtype=b.dtype, device=b.device)
            multiply(a, g, db, flip_x=not ctx.ta, flip_out=ctx.tb)
        return da, db, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    return Dot.apply(a, b, transpose_a, transpose_b)
