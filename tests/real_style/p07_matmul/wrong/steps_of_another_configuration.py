"""Loads tiles of 32 products by a default of its helper, whatever the configuration says of a turn.

Code: wrong-values
Mistake at: for k in tl.range(
Mistake at: ks = k + tl.arange(0,
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import triton
import triton.language as tl

REGISTRY: dict[str, Callable | None] = {"": None}


def register(name: str) -> Callable:
    def keep(function: Callable) -> Callable:
        REGISTRY[name] = function
        return function

    return keep


@register("leaky_relu")
@triton.jit
def leaky_relu(x):
    return tl.where(x >= 0, x, 0.01 * x)


@register("relu")
@triton.jit
def relu(x):
    return tl.where(x >= 0, x, 0.0)


@triton.jit
def snake(pid, num_m, num_n, GROUP_M: tl.constexpr):
    """Go through the columns of odd groups from right to left: what the last group ended with is still in the cache."""
    per_group = GROUP_M * num_n
    group = pid // per_group
    height = min(num_m - group * GROUP_M, GROUP_M)
    inside = pid % per_group
    column = inside // height
    return group * GROUP_M + inside % height, tl.where(group % 2 == 0, column, num_n - 1 - column)


@triton.jit
def load_2d(base, rows, cols, row_stride, col_stride, n_rows, n_cols):
    mask = (rows < n_rows)[:, None] & (cols < n_cols)[None, :]
    offsets = rows.to(tl.int64)[:, None] * row_stride + cols.to(tl.int64)[None, :] * col_stride
    return tl.load(base + offsets, mask=mask, other=0.0)


@triton.jit
def matmul_fwd(
    x, w, y, M, N, K, sx0, sx1, sw0, sw1, sy0, sy1, ACT: tl.constexpr,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP_M: tl.constexpr,
    LANES: tl.constexpr = 32,
):  # fmt: skip
    pid_m, pid_n = snake(tl.program_id(0), tl.cdiv(M, BM), tl.cdiv(N, BN), GROUP_M)
    rows = pid_m * BM + tl.arange(0, BM)
    cols = pid_n * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in tl.range(0, K, BK, num_stages=3):
        ks = k + tl.arange(0, LANES)
        acc = tl.dot(load_2d(x, rows, ks, sx0, sx1, M, K), load_2d(w, ks, cols, sw0, sw1, K, N), acc)
    if ACT is not None:
        acc = ACT(acc)
    where = y + rows.to(tl.int64)[:, None] * sy0 + cols[None, :] * sy1
    tl.store(where, acc.to(y.type.element_ty), mask=(rows < M)[:, None] & (cols < N)[None, :])


def matmul(a: torch.Tensor, b: torch.Tensor, activation: str = "") -> torch.Tensor:
    (m, k), (k_of_b, n) = a.shape, b.shape
    if k != k_of_b:
        raise ValueError(f"a has {k} columns and b {k_of_b} rows")
    y = torch.empty(m, n, dtype=a.dtype, device=a.device)
    if min(m, n) > 0:
        grid = triton.cdiv(m, 64) * triton.cdiv(n, 128), 1, 1
        strides = a.stride() + b.stride() + y.stride()
        matmul_fwd[grid](a, b, y, m, n, k, *strides, ACT=REGISTRY[activation], BM=64, BN=128, BK=64, GROUP_M=8)
    return y
