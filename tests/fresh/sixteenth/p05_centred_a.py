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


# a - a_zero has at most 9 bits for a zero in int8, so that its products with b are exact in a half dot
@triton.jit
def centred_matmul(
    a_ptr,
    b_ptr,
    a_scale_ptr,
    b_scale_ptr,
    c_ptr,
    M,
    N,
    K,
    a_zero,
    stride_am,
    stride_ak,
    stride_bk,
    stride_bn,
    stride_cm,
    stride_cn,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    m = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    n = tl.program_id(1).to(tl.int64) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.int32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK).to(tl.int64)
        a_ok = (m[:, None] < M) & (k[None, :] < K)
        b_ok = (k[:, None] < K) & (n[None, :] < N)
        a = tl.load(a_ptr + m[:, None] * stride_am + k[None, :] * stride_ak, mask=a_ok, other=0)
        b = tl.load(b_ptr + k[:, None] * stride_bk + n[None, :] * stride_bn, mask=b_ok, other=0)
        centred = (a.to(tl.int32) - a_zero).to(tl.int8).to(tl.float16)
        acc += tl.dot(centred, b.to(tl.float16)).to(tl.int32)
    a_scale = tl.load(a_scale_ptr + m, mask=m < M, other=0.0)
    b_scale = tl.load(b_scale_ptr + n, mask=n < N, other=0.0)
    c = acc.to(tl.float32) * a_scale[:, None] * b_scale[None, :]
    tl.store(
        c_ptr + m[:, None] * stride_cm + n[None, :] * stride_cn, c, mask=(m[:, None] < M) & (n[None, :] < N)
    )


def int8_matmul(
    a: torch.Tensor, b: torch.Tensor, a_scale: torch.Tensor, b_scale: torch.Tensor, a_zero: int
) -> torch.Tensor:
    (M, K), N = a.shape, b.shape[1]
    c = torch.empty((M, N), dtype=torch.float32, device=a.device)
    if c.numel() == 0:
        return c
    BM, BN, BK = 32, 32, 64
    grid = (triton.cdiv(M, BM), triton.cdiv(N, BN))
    strides = (*a.stride(), *b.stride(), *c.stride())
    centred_matmul[grid](a, b, a_scale, b_scale, c, M, N, K, a_zero, *strides, BM=BM, BN=BN, BK=BK)
    return c
