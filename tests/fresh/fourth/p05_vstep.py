import math

import torch
import triton
import triton.language as tl


def reference(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Return softmax(q k^T / sqrt(d)) v."""
    return torch.softmax(q @ k.T / math.sqrt(q.shape[1]), dim=1) @ v


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, o_ptr, sq, sk, sv, so, n, scale, D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr
):
    """The pointers to keys and values move on with the loop."""
    qi = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    lane = tl.arange(0, BLOCK_N)
    col = tl.arange(0, D)
    q_ok = (qi < n)[:, None]
    q_tile = tl.load(q_ptr + (qi * sq)[:, None] + col[None, :], mask=q_ok, other=0.0)
    k_tiles = k_ptr + lane.to(tl.int64)[:, None] * sk + col[None, :]
    v_tiles = v_ptr + lane.to(tl.int64)[:, None] * sv + col[None, :]

    top = tl.full([BLOCK_M], -float("inf"), dtype=tl.float32)
    weight = tl.zeros([BLOCK_M], dtype=tl.float32)
    out = tl.zeros([BLOCK_M, D], dtype=tl.float32)
    left = n
    while left > 0:
        k_tile = tl.load(k_tiles, mask=(lane < left)[:, None], other=0.0)
        score = tl.dot(q_tile, tl.trans(k_tile), input_precision="ieee") * scale
        score = tl.where((lane < left)[None, :], score, -float("inf"))
        new_top = tl.maximum(top, tl.max(score, axis=1))
        e = tl.exp(score - new_top[:, None])
        shrink = tl.exp(top - new_top)
        weight = weight * shrink + tl.sum(e, axis=1)
        v_tile = tl.load(v_tiles, mask=(lane < left)[:, None], other=0.0)
        out = out * shrink[:, None] + tl.dot(e.to(v_tile.dtype), v_tile, input_precision="ieee")
        top = new_top
        k_tiles += BLOCK_N * sk
        v_tiles += BLOCK_N * sk
        left -= BLOCK_N

    tl.store(o_ptr + (qi * so)[:, None] + col[None, :], out / weight[:, None], mask=q_ok)


def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    n, d = q.shape
    o = torch.empty_like(q)
    if n == 0:
        return o
    block = 32
    attention_kernel[((n + block - 1) // block,)](
        q,
        k,
        v,
        o,
        q.stride(0),
        k.stride(0),
        v.stride(0),
        o.stride(0),
        n,
        1.0 / math.sqrt(d),
        D=d,
        BLOCK_M=block,
        BLOCK_N=block,
        num_warps=4,
    )
    return o
