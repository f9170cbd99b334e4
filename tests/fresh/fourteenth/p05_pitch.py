"""Attention with pointers that move down K and V."""

import torch
import triton
import triton.language as tl


@triton.jit
def _attn(
    q_ptr, k_ptr, v_ptr, out_ptr,
    q_pitch, k_pitch, v_pitch, out_pitch,
    n, inv_sqrt_d,
    DIM: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
):
    i = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    j = tl.arange(0, BN).to(tl.int64)
    d = tl.arange(0, DIM)
    i_ok = i[:, None] < n

    q_tile = tl.load(q_ptr + i[:, None] * q_pitch + d[None, :], mask=i_ok, other=0.0)
    k_ptrs = k_ptr + j[:, None] * k_pitch + d[None, :]
    v_ptrs = v_ptr + j[:, None] * v_pitch + d[None, :]
    hop = tl.full((), BN, tl.int64)

    row_max = tl.full((BM,), float("-inf"), tl.float32)
    row_sum = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, DIM), tl.float32)
    left = n
    for _ in range(tl.cdiv(n, BN)):
        k_tile = tl.load(k_ptrs, mask=j[:, None] < left, other=0.0)
        logits = inv_sqrt_d * tl.dot(q_tile, k_tile.T, input_precision="ieee")
        logits = tl.where(j[None, :] < left, logits, float("-inf"))

        best = tl.maximum(row_max, tl.max(logits, 1))
        ratio = tl.exp(row_max - best)
        probs = tl.exp(logits - best[:, None])
        row_max = best
        row_sum *= ratio
        row_sum += tl.sum(probs, 1)

        v_tile = tl.load(v_ptrs, mask=j[:, None] < left, other=0.0)
        acc *= ratio[:, None]
        acc = tl.dot(probs.to(v_tile.dtype), v_tile, acc, input_precision="ieee")

        left -= BN
        k_ptrs += hop * k_pitch
        v_ptrs += hop * k_pitch

    acc /= row_sum[:, None]
    tl.store(out_ptr + i[:, None] * out_pitch + d[None, :], acc, mask=i_ok)


def _blocks(dtype: torch.dtype) -> dict:
    if dtype == torch.float32:
        return {"BM": 32, "BN": 32, "num_warps": 4}
    return {"BM": 64, "BN": 64, "num_warps": 4}


def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(q)
    if not out.numel():
        return out
    n, dim = q.shape
    meta = _blocks(q.dtype)
    grid = (triton.cdiv(n, meta["BM"]),)
    pitches = tuple(t.stride(0) for t in (q, k, v, out))
    _attn[grid](q, k, v, out, *pitches, n, dim**-0.5, DIM=dim, **meta)
    return out
