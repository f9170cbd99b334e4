"""Writes the n x n scores to a scratch tensor and reads them back.

Code: scratch-too-large
Killed by: limits
"""

import torch
import triton
import triton.language as tl


@triton.jit
def scores_kernel(q_ptr, k_ptr, s_ptr, q_row_stride, k_row_stride, n, scale, D: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    keys = tl.program_id(1).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    dims = tl.arange(0, D)[None, :]
    q = tl.load(q_ptr + rows[:, None] * q_row_stride + dims, mask=rows[:, None] < n, other=0.0)
    k = tl.load(k_ptr + keys[:, None] * k_row_stride + dims, mask=keys[:, None] < n, other=0.0)
    s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
    tl.store(s_ptr + rows[:, None] * n + keys[None, :], s, mask=(rows[:, None] < n) & (keys[None, :] < n))


@triton.jit
def values_kernel(s_ptr, v_ptr, o_ptr, v_row_stride, o_row_stride, n, D: tl.constexpr, BLOCK: tl.constexpr):
    rows = (tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK))[:, None]
    dims = tl.arange(0, D)[None, :]
    m = tl.full((BLOCK,), -float("inf"), tl.float32)
    for start in range(0, n, BLOCK):
        keys = start + tl.arange(0, BLOCK)[None, :]
        mask = (rows < n) & (keys < n)
        m = tl.maximum(m, tl.max(tl.load(s_ptr + rows * n + keys, mask=mask, other=-float("inf")), axis=1))
    m = tl.where(m == -float("inf"), 0.0, m)
    l = tl.zeros((BLOCK,), tl.float32)
    acc = tl.zeros((BLOCK, D), tl.float32)
    for start in range(0, n, BLOCK):
        keys = start + tl.arange(0, BLOCK).to(tl.int64)
        mask = (rows < n) & (keys[None, :] < n)
        p = tl.exp(tl.load(s_ptr + rows * n + keys[None, :], mask=mask, other=-float("inf")) - m[:, None])
        v = tl.load(v_ptr + keys[:, None] * v_row_stride + dims, mask=keys[:, None] < n, other=0.0)
        l += tl.sum(p, axis=1)
        acc += tl.dot(p.to(v.dtype), v, input_precision="ieee")
    tl.store(o_ptr + rows * o_row_stride + dims, acc / l[:, None], mask=rows < n)


def reference(q, k, v):
    return torch.softmax(q @ k.T * q.shape[1] ** -0.5, dim=1) @ v


def flash_attention(q, k, v):
    n, d = q.shape
    o = torch.empty_like(q)
    if o.numel() == 0:
        return o
    s = torch.empty((n, n), dtype=torch.float32, device=q.device)
    tiles = triton.cdiv(n, 32)
    scores_kernel[(tiles, tiles)](q, k, s, q.stride(0), k.stride(0), n, d**-0.5, D=d, BLOCK=32)
    values_kernel[(tiles,)](s, v, o, v.stride(0), o.stride(0), n, D=d, BLOCK=32)
    return o
