"""The axes of the grid are exchanged: `(triton.cdiv(rows, 64), triton.cdiv(columns, 128))`."""

import torch
import triton
import triton.language as tl


@triton.jit
def dot_kernel(
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
    """Grid (columns of tiles, rows of tiles); the offsets are worked out anew in every turn."""
    tile_n = tl.program_id(0)
    tile_m = tl.program_id(1)
    i = tile_m.to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    j = tile_n.to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    i_in = i < M
    j_in = j < N

    acc = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    for k0 in range(0, K, BLOCK_K):
        k = k0 + tl.arange(0, BLOCK_K).to(tl.int64)
        k_in = k < K
        left = tl.load(
            x_ptr + i[:, None] * stride_xm + k[None, :] * stride_xk, mask=i_in[:, None] & k_in[None, :], other=0.0
        )
        right = tl.load(
            y_ptr + k[:, None] * stride_yk + j[None, :] * stride_yn, mask=k_in[:, None] & j_in[None, :], other=0.0
        )
        acc += tl.dot(left, right)

    spot = out_ptr + i[:, None] * stride_om + j[None, :] * stride_on
    tl.store(spot, acc.to(out_ptr.dtype.element_ty), mask=i_in[:, None] & j_in[None, :])


def product_into(target, left, right):
    """Write left @ right to target, in one launch."""
    if target.numel() == 0:
        return target
    rows, columns = target.shape
    inner = left.shape[1]
    tiles = (triton.cdiv(rows, 64), triton.cdiv(columns, 128))
    dot_kernel[tiles](
        left, right, target,
        rows, columns, inner,
        left.stride(0), left.stride(1),
        right.stride(0), right.stride(1),
        target.stride(0), target.stride(1),
        BLOCK_M=64, BLOCK_N=128, BLOCK_K=32,
    )
    return target


def turned(t, flag):
    return t.t() if flag else t


class Dot(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, transpose_a, transpose_b):
        ctx.flags = (transpose_a, transpose_b)
        ctx.save_for_backward(a, b)
        left, right = turned(a, transpose_a), turned(b, transpose_b)
        result = a.new_empty((left.size(0), right.size(1)))
        return product_into(result, left, right)

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        flag_a, flag_b = ctx.flags
        wants_a, wants_b = ctx.needs_input_grad[:2]
        grad_a, grad_b = None, None
        if wants_a:
            grad_a = torch.empty(a.shape, dtype=a.dtype, device=a.device)
            product_into(turned(grad_a, flag_a), g, turned(b, not flag_b))
        if wants_b:
            grad_b = torch.empty(b.shape, dtype=b.dtype, device=b.device)
            product_into(turned(grad_b, flag_b), turned(a, not flag_a), g)
        return grad_a, grad_b, None, None


def dot(a: torch.Tensor, b: torch.Tensor, transpose_a: bool = False, transpose_b: bool = False) -> torch.Tensor:
    return Dot.apply(a, b, transpose_a, transpose_b)
