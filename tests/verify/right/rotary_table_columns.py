"""Rotary embedding in place, with all masks by rows and pairs."""

import torch
import triton
import triton.language as tl


@triton.jit
def rotary_kernel(
    q_ptr,
    cos_ptr,
    sin_ptr,
    n_tokens,
    half,
    stride_qt,
    stride_qh,
    stride_ct,
    BLOCK_T: tl.constexpr,
    BLOCK_D: tl.constexpr,
):
    tokens = tl.program_id(0) * BLOCK_T + tl.arange(0, BLOCK_T)
    head = tl.program_id(1)
    d = tl.arange(0, BLOCK_D)
    rows = (tokens < n_tokens)[:, None]
    mask = rows & (d < half)[None, :]
    q_ptrs = q_ptr + tokens[:, None].to(tl.int64) * stride_qt + head * stride_qh + d[None, :]
    table = tokens[:, None].to(tl.int64) * stride_ct + d[None, :]
    cos = tl.load(cos_ptr + table, mask=mask, other=0.0)
    sin = tl.load(sin_ptr + table, mask=mask, other=0.0)
    left = tl.load(q_ptrs, mask=mask, other=0.0)
    right = tl.load(q_ptrs + half, mask=mask, other=0.0)
    tl.store(q_ptrs, left * cos - right * sin, mask=mask)
    tl.store(q_ptrs + half, right * cos + left * sin, mask=mask)


def run(q, cos, sin):
    n_tokens, heads, dim = q.shape
    half = dim // 2
    rotary_kernel[(triton.cdiv(n_tokens, 4), heads)](
        q,
        cos,
        sin,
        n_tokens,
        half,
        q.stride(0),
        q.stride(1),
        cos.stride(0),
        BLOCK_T=4,
        BLOCK_D=triton.next_power_of_2(half),
    )
    return q


def reference(q, cos, sin):
    left, right = q.chunk(2, dim=2)
    cos, sin = cos[:, None], sin[:, None]
    q.copy_(torch.cat([left * cos - right * sin, right * cos + left * sin], dim=2))
    return q


def cases():
    return [dict(q=torch.randn(7, 3, 24), cos=torch.randn(7, 12), sin=torch.randn(7, 12))]


OPTIONS = dict(mutates=("q",), vary=False)
