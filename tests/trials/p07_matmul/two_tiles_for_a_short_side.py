"""Cuts a side of 17 to 64 into two tiles: the other matrix is read twice."""

"""Matrix product whose host function fits the tile to the shape of the result; no autotuner."""

import torch
import triton
import triton.language as tl


def reference(a: torch.Tensor, b: torch.Tensor, activation: str = "") -> torch.Tensor:
    """Return a @ b, after a leaky ReLU with slope 0.01 where `activation` is "leaky_relu"."""
    c = a.float() @ b.float()
    return (torch.nn.functional.leaky_relu(c, 0.01) if activation == "leaky_relu" else c).to(a.dtype)


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
    LEAKY: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
):
    pid = tl.program_id(0)
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    first_m = pid // (GROUP_M * tiles_n) * GROUP_M
    height = min(tiles_m - first_m, GROUP_M)
    number = pid - first_m * tiles_n
    m = (first_m + number % height).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = (number // height).to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K).to(tl.int64)

    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for done in range(0, K, BLOCK_K):
        here = k + done
        a_mask = (m < M)[:, None] & (here < K)[None, :]
        b_mask = (here < K)[:, None] & (n < N)[None, :]
        a = tl.load(a_ptr + (m * stride_am)[:, None] + (here * stride_ak)[None, :], mask=a_mask, other=0.0)
        b = tl.load(b_ptr + (here * stride_bk)[:, None] + (n * stride_bn)[None, :], mask=b_mask, other=0.0)
        acc = tl.dot(a, b, acc)

    if LEAKY:
        acc = tl.where(acc > 0, acc, acc * 0.01)
    c_mask = (m < M)[:, None] & (n < N)[None, :]
    tl.store(c_ptr + (m * stride_cm)[:, None] + (n * stride_cn)[None, :], acc, mask=c_mask)


def edge(size: int) -> int:
    """Return how long the side of a tile is along a dimension of this size."""
    for length in (16, 32, 64):
        if size <= 2 * length:
            return length
    return 128


def matmul(a: torch.Tensor, b: torch.Tensor, activation: str = "") -> torch.Tensor:
    (M, K), (_, N) = a.shape, b.shape
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    if c.numel() == 0:
        return c
    BLOCK_M, BLOCK_N = edge(M), edge(N)
    grid = (triton.cdiv(M, BLOCK_M) * triton.cdiv(N, BLOCK_N),)
    strides = (*a.stride(), *b.stride(), *c.stride())
    matmul_kernel[grid](
        a,
        b,
        c,
        M,
        N,
        K,
        *strides,
        LEAKY=activation == "leaky_relu",
        BLOCK_M=BLOCK_M,
        BLOCK_N=BLOCK_N,
        BLOCK_K=64,
        GROUP_M=8,
        num_warps=8 if BLOCK_M * BLOCK_N >= 128 * 64 else 4,
        num_stages=3,
    )
    return c
