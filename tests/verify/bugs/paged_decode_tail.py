"""Decode attention over a paged cache: the last page is read whole, and what is left over in it may be NaN, which a
weight of 0 does not hide.

Code: wrong-values
Mistake at: v = tl.load(v_ptr + slots[:, None] * D + d[None, :]
Reported: vllm-project/vllm#47305
"""

import torch
import triton
import triton.language as tl


@triton.jit
def decode_kernel(
    q_ptr, k_ptr, v_ptr, table_ptr, length_ptr, o_ptr, n_pages, scale, D: tl.constexpr, PAGE: tl.constexpr
):
    batch = tl.program_id(0).to(tl.int64)
    d, slot = tl.arange(0, D), tl.arange(0, PAGE)
    length = tl.load(length_ptr + batch)
    q = tl.load(q_ptr + batch * D + d)
    m = -float("inf")
    l = 0.0
    acc = tl.zeros((D,), dtype=tl.float32)
    for page in range(tl.cdiv(length, PAGE)):
        inside = page * PAGE + slot < length
        slots = tl.load(table_ptr + batch * n_pages + page).to(tl.int64) * PAGE + slot
        k = tl.load(k_ptr + slots[:, None] * D + d[None, :])
        v = tl.load(v_ptr + slots[:, None] * D + d[None, :])
        scores = tl.where(inside, tl.sum(q[None, :] * k, axis=1) * scale, -float("inf"))
        m_new = tl.maximum(m, tl.max(scores, axis=0))
        alpha = tl.exp(m - m_new)
        p = tl.exp(scores - m_new)
        l = l * alpha + tl.sum(p, axis=0)
        acc = acc * alpha + tl.sum(p[:, None] * v, axis=0)
        m = m_new
    tl.store(o_ptr + batch * D + d, acc / l)


def run(q, k_cache, v_cache, table, lengths):
    o = torch.empty_like(q)
    D = q.shape[1]
    decode_kernel[(q.shape[0],)](
        q, k_cache, v_cache, table, lengths, o, table.shape[1], D**-0.5, D=D, PAGE=k_cache.shape[1]
    )
    return o


def reference(q, k_cache, v_cache, table, lengths):
    out = torch.empty_like(q)
    for batch, length in enumerate(lengths.tolist()):
        k, v = (cache[table[batch].long()].flatten(0, 1)[:length] for cache in (k_cache, v_cache))
        out[batch] = torch.softmax(k @ q[batch] * q.shape[1] ** -0.5, dim=0) @ v
    return out


def cases():
    k, v = torch.randn(6, 8, 16), torch.randn(6, 8, 16)
    k[2, 3:], v[2, 3:] = float("nan"), float("nan")  # where no token has been written
    table = torch.tensor([[5, 2], [1, 4]], dtype=torch.int32)
    lengths = torch.tensor([11, 16], dtype=torch.int32)
    return [dict(q=torch.randn(2, 16), k_cache=k, v_cache=v, table=table, lengths=lengths)]


OPTIONS = dict(vary=False)
