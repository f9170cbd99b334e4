"""Needs no mask along K in one configuration, and asks the wrong tile for the other, which reads past the rows of a.

Must: fail out-of-bounds-load
"""

import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64, "GROUP_M": 8}, num_warps=8, num_stages=3),
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 64, "BLOCK_K": 128, "GROUP_M": 8}, num_warps=4, num_stages=3),
    ],
    key=["M", "N", "K"],
)
@triton.heuristics({"EVEN_K": lambda args: args["K"] % args["BLOCK_N"] == 0})
@triton.jit
def matmul_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    stride_am,
    stride_ak,
    stride_bk,
    stride_bn,
    stride_cm,
    stride_cn,
    ACTIVATION: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
    EVEN_K: tl.constexpr,
):
    pid = tl.program_id(0)
    tm, tn = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    g = pid // (GROUP_M * tn)
    h = min(tm - g * GROUP_M, GROUP_M)
    q = pid - g * GROUP_M * tn
    row = (g * GROUP_M + q % h).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    col = (q // h).to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    kk = tl.arange(0, BLOCK_K).to(tl.int64)
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k0 in range(0, K, BLOCK_K):
        pa = a_ptr + row[:, None] * stride_am + (k0 + kk)[None, :] * stride_ak
        pb = b_ptr + (k0 + kk)[:, None] * stride_bk + col[None, :] * stride_bn
        if EVEN_K:
            a = tl.load(pa, mask=row[:, None] < M, other=0.0)
            b = tl.load(pb, mask=col[None, :] < N, other=0.0)
        else:
            a = tl.load(pa, mask=(row[:, None] < M) & (k0 + kk < K)[None, :], other=0.0)
            b = tl.load(pb, mask=(col[None, :] < N) & (k0 + kk < K)[:, None], other=0.0)
        acc = tl.dot(a, b, acc)
    if ACTIVATION == "leaky_relu":
        acc = tl.where(acc < 0, acc * 0.01, acc)
    tl.store(
        c_ptr + row[:, None] * stride_cm + col[None, :] * stride_cn,
        acc,
        mask=(row[:, None] < M) & (col[None, :] < N),
    )


def matmul(a: torch.Tensor, b: torch.Tensor, activation: str = "") -> torch.Tensor:
    """Launch one program per tile of c.

    a: (M, K) float16 or bfloat16, any strides
    b: (K, N) same dtype, any strides
    returns: (M, N), dtype of a, contiguous; `activation` is "" or "leaky_relu"
    """
    (M, K), (_, N) = a.shape, b.shape
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    if c.numel() == 0:
        return c

    def grid(meta):
        return (triton.cdiv(M, meta["BLOCK_M"]) * triton.cdiv(N, meta["BLOCK_N"]),)

    strides = (*a.stride(), *b.stride(), *c.stride())
    matmul_kernel[grid](a, b, c, M, N, K, *strides, ACTIVATION=activation)
    return c
