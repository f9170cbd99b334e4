"""A linear layer's forward pass as an autograd function: an optional bias that is not there, tiles by the shape."""

from __future__ import annotations

from typing import NamedTuple

import torch
import triton
import triton.language as tl


class Tiles(NamedTuple):
    block_m: int
    block_n: int
    block_k: int
    group: int
    warps: int


def pick_tiles(m: int, n: int, k: int) -> Tiles:
    if m <= 64:
        return Tiles(64, 128, 64, 1, 4)
    if n <= 64:
        return Tiles(128, 64, 64, 8, 4)
    return Tiles(128, 128, 32 if k < 64 else 64, 8, 8)


@triton.jit
def kernel_fma(
    C, A, B, BIAS, M, N, K, stride_cm, stride_am, stride_ak, stride_bk, stride_bn,
    BLOCK_M: tl.constexpr, GROUP_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
    HAS_BIAS: tl.constexpr, ACTIVATION: tl.constexpr,
):  # fmt: skip
    pid = tl.program_id(axis=0)
    num_pid_m = tl.cdiv(M, BLOCK_M)
    num_pid_n = tl.cdiv(N, BLOCK_N)
    num_pid_in_group = GROUP_M * num_pid_n
    group_id = pid // num_pid_in_group
    first_pid_m = group_id * GROUP_M
    GROUP_M = min(num_pid_m - first_pid_m, GROUP_M)
    pid_m = first_pid_m + (pid % GROUP_M)
    pid_n = (pid % num_pid_in_group) // (GROUP_M)

    m_offs = pid_m.to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    n_offs = pid_n.to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    k_range_offs = tl.arange(0, BLOCK_K).to(tl.int64)
    A = A + (m_offs[:, None] * stride_am + k_range_offs[None, :] * stride_ak)
    B = B + (k_range_offs[:, None] * stride_bk + n_offs[None, :] * stride_bn)

    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    if HAS_BIAS:
        acc += tl.load(BIAS + n_offs, mask=n_offs < N, other=0.0).to(tl.float32)[None, :]
    k = K
    while k > 0:
        a = tl.load(A, mask=(m_offs[:, None] < M) & (k_range_offs[None, :] < k), other=0.0)
        b = tl.load(B, mask=(k_range_offs[:, None] < k) & (n_offs[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc)
        A += BLOCK_K * stride_ak
        B += BLOCK_K * stride_bk
        k -= BLOCK_K
    if ACTIVATION == "leaky_relu":
        scale = 0.01 + 0.0
        acc = tl.where(acc >= 0, acc, scale * acc)
    C = C + m_offs[:, None] * stride_cm + n_offs[None, :]
    tl.store(C, acc, mask=(m_offs[:, None] < M) & (n_offs[None, :] < N))


class LinearLayer(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, activation: str):
        assert x.shape[1] == weight.shape[1], f"Incompatible dimensions: {x.shape} - {weight.shape}"
        (m, k), n = x.shape, weight.shape[0]
        out = torch.empty((m, n), device=x.device, dtype=x.dtype)
        if m == 0 or n == 0:
            return out
        t = pick_tiles(m, n, k)
        kernel_fma[(triton.cdiv(m, t.block_m) * triton.cdiv(n, t.block_n),)](
            out, x, weight, bias, m, n, k, out.stride(0), x.stride(0), x.stride(1), weight.stride(1), weight.stride(0),
            BLOCK_M=t.block_m, GROUP_M=t.group, BLOCK_N=t.block_n, BLOCK_K=t.block_k,
            HAS_BIAS=bias is not None, ACTIVATION=activation, num_warps=t.warps, num_stages=2,
        )  # fmt: skip
        return out


def matmul(a, b, activation=""):
    return LinearLayer.apply(a, b.t(), None, activation)
