"""Keeps maximum and sum as one log-sum-exp, in which a large maximum leaves nothing of the sum.

Code: log-sum-added-to-max
Mistake at: lse = m + tl.log(
"""

import torch
import triton
import triton.language as tl


@triton.jit
def split_stats(x_ptr, m_ptr, l_ptr, x_stride, n_cols, n_splits, SPLIT: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    split = tl.program_id(1)
    m = tl.full((), float("-inf"), tl.float32)
    l = tl.full((), 0.0, tl.float32)
    for step in tl.static_range(0, SPLIT, BLOCK):
        cols = split * SPLIT + step + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_stride + cols, mask=cols < n_cols, other=float("-inf")).to(tl.float32)
        m_new = tl.maximum(m, tl.max(x, axis=0))
        floor = tl.where(m_new == float("-inf"), 0.0, m_new)
        l = l * tl.exp(m - floor) + tl.sum(tl.exp(x - floor), axis=0)
        m = m_new
    tl.store(m_ptr + row * n_splits + split, m)
    tl.store(l_ptr + row * n_splits + split, l)


@triton.jit
def split_merge(
    x_ptr, y_ptr, m_ptr, l_ptr, x_stride, y_stride, n_cols, n_splits,
    SPLIT: tl.constexpr, BLOCK: tl.constexpr, SPLITS_POW2: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    split = tl.program_id(1)
    parts = tl.arange(0, SPLITS_POW2)
    ms = tl.load(m_ptr + row * n_splits + parts, mask=parts < n_splits, other=float("-inf"))
    ls = tl.load(l_ptr + row * n_splits + parts, mask=parts < n_splits, other=0.0)
    m = tl.max(ms, axis=0)
    lse = m + tl.log(tl.sum(ls * tl.exp(ms - m), axis=0))
    for step in tl.static_range(0, SPLIT, BLOCK):
        cols = split * SPLIT + step + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_stride + cols, mask=cols < n_cols, other=float("-inf")).to(tl.float32)
        tl.store(y_ptr + row * y_stride + cols, tl.exp(x - lse), mask=cols < n_cols)


def softmax(x, split=8192, block=2048):
    width = triton.next_power_of_2(max(x.shape[1], 1))
    split, block = min(split, width), min(block, width)
    rows, cols = x.shape
    y = torch.empty_like(x)
    if rows == 0 or cols == 0:
        return y
    n_splits = triton.cdiv(cols, split)
    stats = torch.empty((2, rows, n_splits), device=x.device, dtype=torch.float32)
    m, l = stats.unbind(0)
    grid = (rows, n_splits)
    split_stats[grid](x, m, l, x.stride(0), cols, n_splits, SPLIT=split, BLOCK=block)
    split_merge[grid](
        x, y, m, l, x.stride(0), y.stride(0), cols, n_splits,
        SPLIT=split, BLOCK=block, SPLITS_POW2=triton.next_power_of_2(n_splits),
    )  # fmt: skip
    return y
