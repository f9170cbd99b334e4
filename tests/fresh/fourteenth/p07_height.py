"""Matrix product, autotuned; work split into small device functions."""

import functools

import torch
import triton
import triton.language as tl


@triton.jit
def which_tile(pid, rows_of_tiles, cols_of_tiles, GROUP_M: tl.constexpr):
    size = GROUP_M * cols_of_tiles
    g = pid // size
    start = g * GROUP_M
    h = rows_of_tiles - g
    if h > GROUP_M:
        h = GROUP_M
    inner = pid - g * size
    col = inner // h
    row = start + inner - col * h
    return row, col


@triton.jit
def accumulate(a_base, b_base, m, n, M, N, K, am, ak, bk, bn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    acc = tl.zeros((BM, BN), tl.float32)
    for base in range(0, K, BK):
        k = base + tl.arange(0, BK).to(tl.int64)
        a = tl.load(a_base + m[:, None] * am + k[None, :] * ak, mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
        b = tl.load(b_base + k[:, None] * bk + n[None, :] * bn, mask=(k[:, None] < K) & (n[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc)
    return acc


@triton.autotune(
    configs=[
        triton.Config({"BM": 128, "BN": 128, "BK": 32, "GROUP_M": 8}, num_warps=8, num_stages=3),
        triton.Config({"BM": 64, "BN": 128, "BK": 64, "GROUP_M": 4}, num_warps=4, num_stages=3),
        triton.Config({"BM": 64, "BN": 64, "BK": 32, "GROUP_M": 8}, num_warps=2, num_stages=4),
    ],
    key=["M", "N", "K", "NEGATIVE_SLOPE"],
)
@triton.jit
def tiled_product(
    a, b, c, M, N, K, am, ak, bk, bn, cm, cn,
    NEGATIVE_SLOPE: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP_M: tl.constexpr,
):
    row, col = which_tile(tl.program_id(0), tl.cdiv(M, BM), tl.cdiv(N, BN), GROUP_M)
    m = row.to(tl.int64) * BM + tl.arange(0, BM)
    n = col.to(tl.int64) * BN + tl.arange(0, BN)
    acc = accumulate(a, b, m, n, M, N, K, am, ak, bk, bn, BM, BN, BK)
    if NEGATIVE_SLOPE is not None:
        acc = tl.where(acc < 0, acc * NEGATIVE_SLOPE, acc)
    tl.store(c + m[:, None] * cm + n[None, :] * cn, acc, mask=(m[:, None] < M) & (n[None, :] < N))


def _grid(M, N, meta):
    return (triton.cdiv(M, meta["BM"]) * triton.cdiv(N, meta["BN"]),)


def matmul(a: torch.Tensor, b: torch.Tensor, activation: str = "") -> torch.Tensor:
    (M, K), N = a.shape, b.shape[1]
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    if c.numel():
        slope = 0.01 if activation == "leaky_relu" else None
        strides = (*a.stride(), *b.stride(), *c.stride())
        tiled_product[functools.partial(_grid, M, N)](a, b, c, M, N, K, *strides, NEGATIVE_SLOPE=slope)
    return c
