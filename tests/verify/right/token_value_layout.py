"""Probabilities times cached values of shape (heads, tokens, d), whose strides are passed in that order."""

import torch
import triton
import triton.language as tl


@triton.jit
def value_kernel(
    p_ptr,
    v_ptr,
    out_ptr,
    slot_ptr,
    n_tokens,
    stride_ph,
    stride_vt,
    stride_vh,
    stride_oh,
    D: tl.constexpr,
    BLOCK: tl.constexpr,
):
    head = tl.program_id(0).to(tl.int64)
    d = tl.arange(0, D)
    acc = tl.zeros((D,), dtype=tl.float32)
    for start in range(0, n_tokens, BLOCK):
        tokens = start + tl.arange(0, BLOCK)
        mask = tokens < n_tokens
        p = tl.load(p_ptr + head * stride_ph + tokens, mask=mask, other=0.0)
        slots = tl.load(slot_ptr + tokens, mask=mask, other=0).to(tl.int64)
        v = tl.load(v_ptr + slots[:, None] * stride_vt + head * stride_vh + d[None, :], mask=mask[:, None], other=0.0)
        acc += tl.sum(p[:, None] * v, axis=0)
    tl.store(out_ptr + head * stride_oh + d, acc)


def run(p, v, slots):
    n_heads, n_tokens = p.shape
    out = torch.empty((n_heads, v.shape[2]), dtype=v.dtype, device=v.device)
    value_kernel[(n_heads,)](
        p, v, out, slots, n_tokens, p.stride(0), v.stride(1), v.stride(0), out.stride(0), D=v.shape[2], BLOCK=16
    )
    return out


def reference(p, v, slots):
    return torch.einsum("ht,htd->hd", p, v[:, slots.long()])


def cases():
    slots = torch.randint(0, 24, (20,), dtype=torch.int32)
    return [dict(p=torch.rand(3, 20), v=torch.randn(3, 24, 16), slots=slots)]


OPTIONS = dict(vary=False)
