"""Gives every program the same number of tiles: those that are left over are nobody's.

Code: unwritten-elements
"""

import functools

import torch
import triton
import triton.language as tl


@functools.lru_cache
def num_sms(index: int) -> int:
    return torch.cuda.get_device_properties(index).multi_processor_count


@triton.jit
def tile_matmul(
    a_ptr, b_ptr, c_ptr, M, N, K, sam, sak, sbk, sbn, scm, first, count, SLOPE: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
):  # fmt: skip
    tiles_n = tl.cdiv(N, BLOCK_N)
    for i in range(count):
        tile = first + i * tl.num_programs(0)
        pid_m, pid_n = tl.swizzle2d(tile // tiles_n, tile % tiles_n, tl.cdiv(M, BLOCK_M), tiles_n, GROUP_M)
        rm = (pid_m * BLOCK_M + tl.arange(0, BLOCK_M)).to(tl.int64)
        rn = (pid_n * BLOCK_N + tl.arange(0, BLOCK_N)).to(tl.int64)
        acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for k in range(0, K, BLOCK_K):
            rk = k + tl.arange(0, BLOCK_K).to(tl.int64)
            a = tl.load(a_ptr + rm[:, None] * sam + rk * sak, mask=(rm[:, None] < M) & (rk < K), other=0.0)
            b = tl.load(b_ptr + rk[:, None] * sbk + rn * sbn, mask=(rk[:, None] < K) & (rn < N), other=0.0)
            acc = tl.dot(a, b, acc)
        acc = tl.where(acc >= 0, acc, acc * SLOPE)
        tl.store(c_ptr + rm[:, None] * scm + rn, acc, mask=(rm[:, None] < M) & (rn < N))


@triton.jit
def persistent_matmul(
    a_ptr, b_ptr, c_ptr, M, N, K, sam, sak, sbk, sbn, scm, SLOPE: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
):  # fmt: skip
    tiles = tl.cdiv(M, BLOCK_M) * tl.cdiv(N, BLOCK_N)
    each = tiles // tl.num_programs(0)
    tile_matmul(
        a_ptr, b_ptr, c_ptr, M, N, K, sam, sak, sbk, sbn, scm, tl.program_id(0), each, SLOPE,
        BLOCK_M, BLOCK_N, BLOCK_K, GROUP_M,
    )  # fmt: skip


def matmul(a, b, activation=""):
    (M, K), (_, N) = a.shape, b.shape
    c = torch.empty((M, N), device=a.device, dtype=a.dtype)
    if c.numel() == 0:
        return c
    programs = min(num_sms(0), triton.cdiv(M, 128) * triton.cdiv(N, 128))
    persistent_matmul[(programs,)](
        a, b, c, M, N, K, *a.stride(), *b.stride(), c.stride(0), SLOPE=0.01 if activation else 1.0,
        BLOCK_M=128, BLOCK_N=128, BLOCK_K=32, GROUP_M=8, num_warps=8,
    )  # fmt: skip
    return c
