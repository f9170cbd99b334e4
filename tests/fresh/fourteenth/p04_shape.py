"""Softmax of blocks of rows; the shape of the tile follows the length of the rows."""

import torch
import triton
import triton.language as tl


def tile_shape(n_cols: int) -> tuple[int, int]:
    cols = min(triton.next_power_of_2(n_cols), 2048)
    return max(1, 2048 // cols), cols


@triton.jit
def exp_above(t, m):
    return tl.exp(t - tl.expand_dims(m, 1))


@triton.jit
def block_softmax(src, dst, src_ld, dst_ld, M, N, TM: tl.constexpr, TN: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * TM + tl.arange(0, TM)
    i = tl.expand_dims(i, 1)
    src += i * src_ld
    dst += i * dst_ld

    peak = tl.full([TM], -3.4028234663852886e38, tl.float32)
    norm = tl.zeros([TM], tl.float32)
    for k in range(0, N, TN):
        j = tl.expand_dims(k + tl.arange(0, TN), 0)
        t = tl.load(src + j, mask=(i < M) & (j < N), other=float("-inf")).to(tl.float32)
        new_peak = tl.maximum(peak, tl.max(t, axis=1))
        norm = norm * tl.exp(peak - new_peak) + tl.sum(exp_above(t, new_peak), axis=1)
        peak = new_peak

    for k in range(0, N, TN):
        j = tl.expand_dims(k + tl.arange(0, TN), 0)
        t = tl.load(src + j, mask=(i < M) & (j < N), other=float("-inf")).to(tl.float32)
        w = exp_above(t, peak) / tl.expand_dims(norm, 1)
        tl.store(dst + j, w, mask=(i < M) & (j < N))


def softmax(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    M, N = x.shape
    if M == 0 or N == 0:
        return out
    tm, tn = tile_shape(N)
    block_softmax[(triton.cdiv(M, tm),)](x, out, x.stride(0), out.stride(0), M, N, TM=tm, TN=tn, num_warps=8)
    return out
