"""Scores of keys past the end are 0: `tl.where(..., score, 0.0)`."""

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
def rescale(top, score):
    """Return the new maximum, the factor for what was summed up so far, and the exponentials of the tile."""
    new_top = tl.maximum(top, tl.max(score, axis=1))
    shrink = tl.exp2((top - new_top) * 1.4426950408889634)
    prob = tl.exp2((score - new_top[:, None]) * 1.4426950408889634)
    return new_top, shrink, prob


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
    q_at = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    col = tl.arange(0, D)
    q_here = (q_at < n)[:, None]
    queries = tl.load(q_ptr + q_at[:, None] * q_row_stride + col[None, :], mask=q_here, other=0.0)

    step = tl.arange(0, BLOCK_N)
    k_tile = k_ptr + step[None, :].to(tl.int64) * k_row_stride + col[:, None]  # (D, BLOCK_N): transposed by its pointers
    v_tile = v_ptr + step[:, None].to(tl.int64) * v_row_stride + col[None, :]
    k_jump = k_row_stride.to(tl.int64) * BLOCK_N
    v_jump = v_row_stride.to(tl.int64) * BLOCK_N

    top = tl.full([BLOCK_M], -3.4e38, tl.float32)
    weight = tl.zeros([BLOCK_M], tl.float32)
    total = tl.zeros([BLOCK_M, D], tl.float32)
    left = n
    while left > 0:
        keys = tl.load(k_tile, mask=step[None, :] < left, other=0.0)
        score = tl.dot(queries, keys, input_precision="ieee") * scale
        score = tl.where(step[None, :] < left, score, 0.0)
        new_top, shrink, prob = rescale(top, score)
        weight = weight * shrink + tl.sum(prob, axis=1)
        total = total * shrink[:, None]
        values = tl.load(v_tile, mask=step[:, None] < left, other=0.0)
        total = tl.dot(prob.to(values.dtype), values, total, input_precision="ieee")
        top = new_top
        k_tile += k_jump
        v_tile += v_jump
        left -= BLOCK_N

    out = total / weight[:, None]
    tl.store(o_ptr + q_at[:, None] * o_row_stride + col[None, :], out, mask=q_here)


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
    strides = (q.stride(0), k.stride(0), v.stride(0), o.stride(0))
    attention_kernel[grid](q, k, v, o, *strides, n, d**-0.5, D=d, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, num_warps=4)
    return o
