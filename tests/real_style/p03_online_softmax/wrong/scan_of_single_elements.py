"""Scans with an operator for one more element, where a scan joins two stretches.

Code: wrong-values
Mistake at: return m, l_a * tl.exp(m_a - base) + tl.exp(m_b - base)
"""

import torch
import triton
import triton.language as tl


@triton.jit
def join_states(m_a, l_a, m_b, l_b):
    m = tl.maximum(m_a, m_b)
    base = tl.where(m == float("-inf"), 0.0, m)
    return m, l_a * tl.exp(m_a - base) + tl.exp(m_b - base)


@triton.jit
def online_scan(x_ptr, y_ptr, x_stride, y_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, BLOCK)
    m = float("-inf")
    l = 0.0
    for start in range(0, n_cols, BLOCK):
        ok = start + lane < n_cols
        x = tl.load(x_ptr + row * x_stride + start + lane, mask=ok, other=float("-inf")).to(tl.float32)
        ms, ls = tl.associative_scan((x, tl.where(ok, 1.0, 0.0)), 0, join_states)
        last = lane == BLOCK - 1
        top = tl.max(tl.where(last, ms, float("-inf")), 0)
        both = tl.maximum(m, top)
        base = tl.where(both == float("-inf"), 0.0, both)
        l = l * tl.exp(m - base) + tl.sum(tl.where(last, ls, 0.0), 0) * tl.exp(top - base)
        m = both
    l = tl.where(m == float("-inf"), float("nan"), l)
    for start in range(0, n_cols, BLOCK):
        ok = start + lane < n_cols
        x = tl.load(x_ptr + row * x_stride + start + lane, mask=ok, other=float("-inf")).to(tl.float32)
        tl.store(y_ptr + row * y_stride + start + lane, tl.exp(x - m) / l, mask=ok)


def softmax(x):
    y = torch.empty_like(x)
    n_rows, n_cols = x.shape
    if y.numel() > 0:
        block = min(512, triton.next_power_of_2(n_cols))
        online_scan[(n_rows,)](x, y, x.stride(0), y.stride(0), n_cols, BLOCK=block, num_warps=4)
    return y
