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
def load_rows(base, r, c, stride, n):
    return tl.load(base + r[:, None] * stride + c[None, :], mask=r[:, None] < n, other=0.0)


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
    who = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    feat = tl.arange(0, D)
    alive = who[:, None] < n
    query = load_rows(q_ptr, who, feat, q_row_stride, n)
    run_max = tl.full((BLOCK_M,), -float("inf"), tl.float32)
    run_sum = tl.zeros((BLOCK_M,), tl.float32)
    result = tl.zeros((BLOCK_M, D), tl.float32)
    for b in range(tl.cdiv(n, BLOCK_N)):
        other = b * BLOCK_N + tl.arange(0, BLOCK_N).to(tl.int64)
        key = load_rows(k_ptr, other, feat, k_row_stride, n)
        value = load_rows(v_ptr, other, feat, v_row_stride, n)
        logits = tl.dot(query, key.T, input_precision="ieee") * scale
        logits = tl.where(other[None, :] < n, logits, -float("inf"))
        next_max = tl.maximum(run_max, tl.max(logits, axis=1))
        shrink = tl.exp(run_max - next_max)
        weight = tl.exp(logits - next_max[:, None])
        run_sum = run_sum * shrink + tl.sum(weight, axis=1)
        result = result * shrink[:, None]
        result = tl.dot(weight.to(value.dtype), value, result, input_precision="ieee")
        run_max = next_max
        result = result / run_sum[:, None]
    tl.store(o_ptr + who[:, None] * o_row_stride + feat[None, :], result, mask=alive)


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
