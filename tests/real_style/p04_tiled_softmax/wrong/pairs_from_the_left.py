"""Joins pairs as if the right one had not been summed yet.

Code: wrong-values
Mistake at: return m, la * tl.exp(ma - ref) + tl.exp(mb - ref)
"""

import torch
import triton
import triton.language as tl


@triton.jit
def merge(ma, la, mb, lb):
    m = tl.maximum(ma, mb)
    ref = tl.where(m == -float("inf"), 0.0, m)
    return m, la * tl.exp(ma - ref) + tl.exp(mb - ref)


@triton.jit
def softmax_groups(x_ptr, y_ptr, x_stride, y_stride, M, N, BM: tl.constexpr, BN: tl.constexpr, GROUP: tl.constexpr):
    pid = tl.program_id(0)
    blocks = tl.num_programs(0)
    first = pid // GROUP * GROUP
    size = tl.minimum(blocks - first, GROUP)
    block = first + (size - 1 - pid % GROUP % size)
    rows = block.to(tl.int64) * BM + tl.arange(0, BM)
    lanes = tl.arange(0, BN)
    m = tl.full((BM,), -float("inf"), tl.float32)
    l = tl.zeros((BM,), tl.float32)
    for start in range(0, N, BN):
        live = (rows[:, None] < M) & ((start + lanes)[None, :] < N)
        x = tl.load(x_ptr + rows[:, None] * x_stride + (start + lanes)[None, :], mask=live, other=-float("inf"))
        tile_m, tile_l = tl.reduce((x.to(tl.float32), live.to(tl.float32)), 1, merge)
        both = tl.maximum(m, tile_m)
        ref = tl.where(both == -float("inf"), 0.0, both)
        l = l * tl.exp(m - ref) + tile_l * tl.exp(tile_m - ref)
        m = both
    l = tl.where(m == -float("inf"), 0.0, l)
    for start in range(0, N, BN):
        live = (rows[:, None] < M) & ((start + lanes)[None, :] < N)
        x = tl.load(x_ptr + rows[:, None] * x_stride + (start + lanes)[None, :], mask=live, other=-float("inf"))
        y = tl.exp(x.to(tl.float32) - m[:, None]) / l[:, None]
        tl.store(y_ptr + rows[:, None] * y_stride + (start + lanes)[None, :], y, mask=live)


def softmax(x):
    M, N = x.shape
    y = torch.empty_like(x)
    if y.numel():
        BN = min(triton.next_power_of_2(N), 256)
        BM = max(2, 1024 // BN)
        softmax_groups[(triton.cdiv(M, BM), 1, 1)](x, y, x.stride(0), y.stride(0), M, N, BM=BM, BN=BN, GROUP=8)
    return y
