"""Softmax over a batch's tokens and the sum of the values that they point to: lanes past the end read the value at
index -1.

Code: out-of-bounds-load
Mistake at: v = tl.load(v_ptr
Reported: thunlp/TritonBench#12 (softmax_reducev.py)
"""

import torch
import triton
import triton.language as tl


@triton.jit
def reduce_kernel(
    score_ptr,
    v_ptr,
    out_ptr,
    index_ptr,
    length_ptr,
    stride_sh,
    stride_vt,
    stride_vh,
    stride_ob,
    stride_oh,
    stride_ib,
    D: tl.constexpr,
    BLOCK: tl.constexpr,
):
    batch, head = tl.program_id(0).to(tl.int64), tl.program_id(1).to(tl.int64)
    length = tl.load(length_ptr + batch)
    d = tl.arange(0, D)
    m = -float("inf")
    l = 0.0
    acc = tl.zeros((D,), dtype=tl.float32)
    for start in range(0, length, BLOCK):
        tokens = start + tl.arange(0, BLOCK)
        mask = tokens < length
        index = tl.load(index_ptr + batch * stride_ib + tokens, mask=mask, other=-1).to(tl.int64)
        scores = tl.load(score_ptr + head * stride_sh + batch * stride_ib + tokens, mask=mask, other=-float("inf"))
        m_new = tl.maximum(m, tl.max(scores, axis=0))
        alpha = tl.exp(m - m_new)
        p = tl.exp(scores - m_new)
        v = tl.load(v_ptr + index[:, None] * stride_vt + head * stride_vh + d[None, :])
        acc = acc * alpha + tl.sum(p[:, None] * v, axis=0)
        l = l * alpha + tl.sum(p, axis=0)
        m = m_new
    tl.store(out_ptr + batch * stride_ob + head * stride_oh + d, acc / l)


def run(scores, v, index, lengths):
    n_heads, batches = scores.shape[0], index.shape[0]
    out = torch.empty((batches, n_heads, v.shape[2]), dtype=v.dtype, device=v.device)
    reduce_kernel[(batches, n_heads)](
        scores,
        v,
        out,
        index,
        lengths,
        scores.stride(0),
        v.stride(0),
        v.stride(1),
        out.stride(0),
        out.stride(1),
        index.stride(0),
        D=v.shape[2],
        BLOCK=16,
    )
    return out


def reference(scores, v, index, lengths):
    out = v.new_empty(index.shape[0], scores.shape[0], v.shape[2])
    scores = scores.view(scores.shape[0], *index.shape)
    for batch, length in enumerate(lengths.tolist()):
        p = torch.softmax(scores[:, batch, :length], dim=1)
        out[batch] = torch.einsum("ht,thd->hd", p, v[index[batch, :length].long()])
    return out


def cases():
    index = torch.randint(0, 40, (2, 24), dtype=torch.int32)
    lengths = torch.tensor([19, 7], dtype=torch.int32)
    return [dict(scores=torch.randn(3, 48), v=torch.randn(40, 3, 16), index=index, lengths=lengths)]


OPTIONS = dict(vary=False)
