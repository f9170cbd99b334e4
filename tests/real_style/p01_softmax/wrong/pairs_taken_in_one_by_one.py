"""Merges pairs as if the second were a single element: right in a loop, wrong in a tree of partial sums.

Code: wrong-values
"""

import math

import torch
import triton
import triton.language as tl

LOG2_E = tl.constexpr(1.4426950408889634)


@triton.jit
def _merge(m_a, l_a, m_b, l_b):
    m = tl.maximum(m_a, m_b)
    safe = tl.where(m == float("-inf"), 0.0, m)
    return m, l_a * tl.exp2(m_a - safe) + tl.exp2(m_b - safe)


@triton.jit
def softmax_pairs(y_ptr, x_ptr, y_stride, x_stride, n_cols, BLOCK_N: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offs = tl.arange(0, BLOCK_N)
    live = offs < n_cols
    x = tl.load(x_ptr + row * x_stride + offs, mask=live, other=float("-inf")).to(tl.float32)
    m_raw = tl.max(x, axis=0)
    z = (x - m_raw) * LOG2_E
    m, l = tl.reduce((z, tl.where(live, 1.0, 0.0)), 0, _merge)
    tl.store(y_ptr + row * y_stride + offs, tl.exp2(z - m) / l, mask=live)


def num_warps_for(block):
    return int(min(16, max(1, 2 ** math.floor(math.log2(max(block // 512, 1))))))


def softmax(x):
    y = torch.empty_like(x)
    rows, cols = x.size(0), x.size(1)
    if rows * cols == 0:
        return y
    block = triton.next_power_of_2(cols)
    kwargs = {"BLOCK_N": block, "num_warps": num_warps_for(block)}
    softmax_pairs[lambda meta: (rows,)](y, x, y.stride(0), x.stride(0), cols, **kwargs)
    return y
