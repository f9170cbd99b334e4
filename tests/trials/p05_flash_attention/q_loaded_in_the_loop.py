"""q is loaded in every turn: `qt = tl.load(q_ptr ...)`."""

# %%
import torch
import triton
import triton.language as tl


# %%
def reference(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Return softmax(q kᵀ / sqrt(d)) v.

    q, k, v: (n, d) float32, float16 or bfloat16
    returns: (n, d), dtype of q
    """
    return torch.softmax(q @ k.T * q.shape[1] ** -0.5, dim=1) @ v


# %%
@triton.jit
def attention_kernel(
    q_ptr,  # queries, (n, D)
    k_ptr,  # keys, (n, D), same dtype
    v_ptr,  # values, (n, D), same dtype
    o_ptr,  # output, (n, D), same dtype
    q_row_stride,  # elements from one row of q to the next, at least D
    k_row_stride,
    v_row_stride,
    o_row_stride,
    n,  # queries, and keys, at least 1
    scale,  # 1 / sqrt(D)
    D: tl.constexpr,  # columns: 16, 32, 64 or 128
    BLOCK_M: tl.constexpr,  # queries of a program, a power of two
    BLOCK_N: tl.constexpr,  # keys of a tile, a power of two
):
    """Write the attention output of BLOCK_M queries, walking over all keys and values."""
    block = tl.program_id(0)
    base = block.to(tl.int64) * BLOCK_M
    lane = tl.arange(0, BLOCK_M)
    feature = tl.arange(0, D)
    alive = base + lane < n

    peak = tl.full((BLOCK_M,), float("-inf"), tl.float32)
    norm = tl.zeros((BLOCK_M,), tl.float32)
    out_t = tl.zeros((D, BLOCK_M), tl.float32)
    for turn in range(tl.cdiv(n, BLOCK_N)):
        # Everything stands upright here: a column is a query.
        qt = tl.load(q_ptr + (base + lane)[None, :] * q_row_stride + feature[:, None], mask=alive[None, :], other=0.0)
        key = turn.to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
        present = key < n
        kk = tl.load(k_ptr + key[:, None] * k_row_stride + feature[None, :], mask=present[:, None], other=0.0)
        st = tl.dot(kk, qt, input_precision="ieee")  # (BLOCK_N, BLOCK_M)
        st = tl.where(present[:, None], st * scale, -float("inf"))
        higher = tl.maximum(peak, tl.max(st, axis=0))
        pt = tl.exp(st - higher[None, :])
        fade = tl.exp(peak - higher)
        norm = norm * fade + tl.sum(pt, axis=0)
        vt = tl.load(v_ptr + key[None, :] * v_row_stride + feature[:, None], mask=present[None, :], other=0.0)
        out_t = tl.dot(vt, pt.to(vt.dtype), out_t * fade[None, :], input_precision="ieee")
        peak = higher

    result = tl.trans(out_t / norm[None, :])
    o_tile = o_ptr + (base + lane)[:, None] * o_row_stride + feature[None, :]
    tl.store(o_tile, result, mask=alive[:, None])


# %%
def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Launch one program per BLOCK_M queries.

    q, k, v: (n, d) float32, float16 or bfloat16, d in 16, 32, 64, 128, last dimension contiguous
    returns: (n, d), dtype of q
    """
    n, d = q.shape
    o = torch.empty_like(q)
    if o.numel() == 0:
        return o
    BLOCK_M, BLOCK_N = (64, 64) if q.element_size() == 2 else (32, 32)
    grid = (triton.cdiv(n, BLOCK_M),)
    attention_kernel[grid](
        q,
        k,
        v,
        o,
        q.stride(0),
        k.stride(0),
        v.stride(0),
        o.stride(0),
        n,
        1 / d**0.5,
        D=d,
        BLOCK_M=BLOCK_M,
        BLOCK_N=BLOCK_N,
        num_warps=4,
    )
    return o
