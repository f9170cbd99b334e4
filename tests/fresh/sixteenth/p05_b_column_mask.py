import torch
import triton
import triton.language as tl


def reference(
    a: torch.Tensor, b: torch.Tensor, a_scale: torch.Tensor, b_scale: torch.Tensor, a_zero: int
) -> torch.Tensor:
    """Return the product of what a and b stand for.

    a: (M, K) int8; b: (K, N) int8
    a_scale: (M,), b_scale: (N,) float32
    returns: (M, N) float32
    """
    return ((a.double() - a_zero) @ b.double() * a_scale[:, None] * b_scale[None, :]).float()


@triton.jit
def qmm_kernel(
    a_ptr,
    b_ptr,
    sa_ptr,
    sb_ptr,
    c_ptr,
    M,
    N,
    K,
    zero,
    am,
    ak,
    bk,
    bn,
    cm,
    cn,
    TM: tl.constexpr,
    TN: tl.constexpr,
    TK: tl.constexpr,
):
    i = tl.program_id(0).to(tl.int64) * TM + tl.arange(0, TM)
    j = tl.program_id(1).to(tl.int64) * TN + tl.arange(0, TN)
    product = tl.zeros((TM, TN), dtype=tl.int32)
    column = tl.zeros((TN,), dtype=tl.int32)
    for step in range(0, tl.cdiv(K, TK)):
        k = step * TK + tl.arange(0, TK).to(tl.int64)
        a = tl.load(
            a_ptr + i[:, None] * am + k[None, :] * ak, mask=(i < M)[:, None] & (k < K)[None, :], other=0
        )
        b_mask = (j < N)[None, :]
        b = tl.load(b_ptr + k[:, None] * bk + j[None, :] * bn, mask=b_mask, other=0)
        product = tl.dot(a, b, product)
        column += tl.sum(b.to(tl.int32), axis=0)
    sa = tl.load(sa_ptr + i, mask=i < M, other=0.0)
    sb = tl.load(sb_ptr + j, mask=j < N, other=0.0)
    value = (product - zero * column[None, :]).to(tl.float32) * (sa[:, None] * sb[None, :])
    tl.store(c_ptr + i[:, None] * cm + j[None, :] * cn, value, mask=(i < M)[:, None] & (j < N)[None, :])


def int8_matmul(
    a: torch.Tensor, b: torch.Tensor, a_scale: torch.Tensor, b_scale: torch.Tensor, a_zero: int
) -> torch.Tensor:
    M, K = a.shape
    N = b.shape[1]
    c = torch.empty((M, N), dtype=torch.float32, device=a.device)
    if c.numel() == 0:
        return c
    tile = dict(TM=64, TN=64, TK=64)
    grid = (triton.cdiv(M, tile["TM"]), triton.cdiv(N, tile["TN"]))
    qmm_kernel[grid](a, b, a_scale, b_scale, c, M, N, K, a_zero, *a.stride(), *b.stride(), *c.stride(), **tile)
    return c
