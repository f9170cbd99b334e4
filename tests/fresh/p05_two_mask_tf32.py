"""The scores are masked by the queries in place of the keys: keys past the end get a weight. The second product lacks input_precision="ieee": fp32 is rounded to TF32.

Mistake at: score = tl.where((qi < length)[:, None], score, float("-inf"))
Mistake at: acc = acc * fade[:, None] + tl.dot(w.to(value.dtype), value)
"""

import torch
import triton
import triton.language as tl


@triton.jit
def flash(q_ptr, k_ptr, v_ptr, o_ptr, qs, ks, vs, os, length, factor, HEAD: tl.constexpr, ROWS: tl.constexpr, KEYS: tl.constexpr):
    block = tl.program_id(0).to(tl.int64)
    qi = block * ROWS + tl.arange(0, ROWS)
    ki = tl.arange(0, KEYS).to(tl.int64)
    ch = tl.arange(0, HEAD)
    queries = tl.load(q_ptr + qi[:, None] * qs + ch[None, :], mask=(qi < length)[:, None], other=0.0)
    k_tile = k_ptr + ki[:, None] * ks + ch[None, :]
    v_tile = v_ptr + ki[:, None] * vs + ch[None, :]
    top = tl.full((ROWS,), -float("inf"), tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    acc = tl.zeros((ROWS, HEAD), tl.float32)
    for begin in range(0, length, KEYS):
        here = begin + ki < length
        key = tl.load(k_tile, mask=here[:, None], other=0.0)
        value = tl.load(v_tile, mask=here[:, None], other=0.0)
        score = tl.dot(queries, tl.trans(key), input_precision="ieee") * (factor * 1.4426950408889634)
        score = tl.where((qi < length)[:, None], score, float("-inf"))
        new_top = tl.maximum(top, tl.max(score, axis=1))
        w = tl.exp2(score - new_top[:, None])
        fade = tl.exp2(top - new_top)
        total = total * fade + tl.sum(w, axis=1)
        acc = acc * fade[:, None] + tl.dot(w.to(value.dtype), value)
        top = new_top
        k_tile += KEYS * ks
        v_tile += KEYS * vs
    tl.store(o_ptr + qi[:, None] * os + ch[None, :], acc / total[:, None], mask=(qi < length)[:, None])


def flash_attention(q, k, v):
    length, head = q.shape
    o = torch.empty_like(q)
    if length == 0:
        return o
    ROWS, KEYS = (64, 32) if q.element_size() == 2 else (32, 32)
    flash[(triton.cdiv(length, ROWS),)](
        q, k, v, o, q.stride(0), k.stride(0), v.stride(0), o.stride(0), length, head ** (-0.5), head, ROWS, KEYS
    )
    return o
