"""Rewinds its pointers by the columns of the matrix and not by those of the tiles.

Code: out-of-bounds-load
"""

import torch
import triton
import triton.language as tl


def get_configs():
    shapes = [(2, 1024), (4, 512), (8, 256), (16, 128), (32, 64), (2, 2048)]
    return [triton.Config({"BLOCK_M": m, "BLOCK_N": n}, num_warps=w) for m, n in shapes for w in (4, 8)]


def prune_configs(configs, named_args, **kwargs):
    N = named_args["N"]
    best = min(max(triton.next_power_of_2(N), 64), 1024)
    return [c for c in configs if c.kwargs["BLOCK_N"] == best] or configs[:2]


@triton.autotune(get_configs(), key=["M", "N"], prune_configs_by={"early_config_prune": prune_configs})
@triton.jit
def tiled_fwd(X, Y, stride_xm, stride_xn, stride_ym, stride_yn, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    pid_m = tl.program_id(0)
    offs_m = pid_m.to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    x_ptrs = X + offs_m[:, None] * stride_xm + offs_n[None, :] * stride_xn
    y_ptrs = Y + offs_m[:, None] * stride_ym + offs_n[None, :] * stride_yn
    m_i = tl.full([BLOCK_M], float("-inf"), dtype=tl.float32)
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32)
    for n in range(0, N, BLOCK_N):
        x = tl.load(x_ptrs, mask=(offs_m[:, None] < M) & (n + offs_n[None, :] < N), other=float("-inf"))
        x = x.to(tl.float32)
        m_ij = tl.maximum(m_i, tl.max(x, 1))
        m_safe = tl.where(m_ij == float("-inf"), 0.0, m_ij)
        l_i = l_i * tl.exp(m_i - m_safe) + tl.sum(tl.exp(x - m_safe[:, None]), 1)
        m_i = m_ij
        x_ptrs += BLOCK_N * stride_xn
    x_ptrs -= N * stride_xn
    inv = 1.0 / l_i
    for n in range(0, N, BLOCK_N):
        mask = (offs_m[:, None] < M) & (n + offs_n[None, :] < N)
        x = tl.load(x_ptrs, mask=mask, other=float("-inf")).to(tl.float32)
        tl.store(y_ptrs, tl.exp(x - m_i[:, None]) * inv[:, None], mask=mask)
        x_ptrs += BLOCK_N * stride_xn
        y_ptrs += BLOCK_N * stride_yn


def softmax(x):
    M, N = x.shape
    y = torch.empty_like(x)
    if M == 0 or N == 0:
        return y
    grid = lambda META: (triton.cdiv(M, META["BLOCK_M"]),)  # noqa: E731
    tiled_fwd[grid](x, y, x.stride(0), x.stride(1), y.stride(0), y.stride(1), M, N)
    return y
