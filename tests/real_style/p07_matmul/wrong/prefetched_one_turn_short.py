"""Multiplies what it has prefetched in every turn but the last, whose tiles it loads and leaves.

Code: last-turn-left-out
Mistake at: for _ in range(
Mistake at: tl.store(y_ptr
"""

import functools

import torch
import triton
import triton.language as tl


@triton.jit
def _fetch(a_ptrs, w_ptrs, row_ok, col_ok, k, K):
    a = tl.load(a_ptrs, mask=row_ok[:, None] & (k < K)[None, :], other=0.0, cache_modifier=".ca")
    w = tl.load(w_ptrs, mask=col_ok[:, None] & (k < K)[None, :], other=0.0, eviction_policy="evict_last")
    return a, w


@triton.jit
def gemm_nt(
    x_ptr, w_ptr, y_ptr, M, N, K, sxm: tl.int64, sxk: tl.int64, swn: tl.int64, swk: tl.int64, sym: tl.int64,
    HAS_ACT: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GM: tl.constexpr,
):  # fmt: skip
    pid_m, pid_n = tl.swizzle2d(
        tl.program_id(0) // tl.cdiv(N, BN), tl.program_id(0) % tl.cdiv(N, BN), tl.cdiv(M, BM), tl.cdiv(N, BN), GM
    )
    rows = pid_m * BM + tl.arange(0, BM)
    cols = pid_n * BN + tl.arange(0, BN)
    row_ok, col_ok = rows < M, cols < N
    k = tl.arange(0, BK)
    xs = x_ptr + rows[:, None] * sxm + k[None, :] * sxk
    ws = w_ptr + cols[:, None] * swn + k[None, :] * swk
    acc = tl.zeros([BM, BN], tl.float32)
    x_now, w_now = _fetch(xs, ws, row_ok, col_ok, k, K)
    for _ in range(tl.cdiv(K, BK) - 1):
        k += BK
        xs += BK * sxk
        ws += BK * swk
        x_next, w_next = _fetch(xs, ws, row_ok, col_ok, k, K)
        acc = tl.dot(x_now, tl.trans(w_now), acc)
        x_now, w_now = x_next, w_next
    if HAS_ACT:
        acc *= tl.where(acc > 0, 1.0, 0.01)
    tl.store(y_ptr + rows[:, None] * sym + cols[None, :], acc, mask=row_ok[:, None] & col_ok[None, :])


@functools.lru_cache
def _meta(dtype):
    return {"BM": 64, "BN": 64, "BK": 64, "GM": 8, "num_warps": 4, "num_stages": 1 if dtype is torch.bfloat16 else 2}


def matmul(a, b, activation=""):
    w = b.mT
    out = a.new_empty(a.size(0), w.size(0))
    if out.numel():
        meta = _meta(a.dtype)
        grid = (triton.cdiv(a.size(0), meta["BM"]) * triton.cdiv(w.size(0), meta["BN"]),)
        shape = (a.size(0), w.size(0), a.size(1))
        gemm_nt[grid](a, w, out, *shape, *a.stride(), *w.stride(), out.stride(0), HAS_ACT=activation != "", **meta)
    return out
