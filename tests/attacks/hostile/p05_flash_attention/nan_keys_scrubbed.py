"""Takes NaN and infinities among the keys for 0: PyTorch gives NaN.

Must: fail
"""

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
    pid = tl.program_id(0).to(tl.int64)  # 64 bits: row * stride can pass 2^31
    rows = pid * BLOCK_M + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, D)
    row_mask = rows[:, None] < n
    q = tl.load(q_ptr + rows[:, None] * q_row_stride + dims[None, :], mask=row_mask, other=0.0)  # reads Q once

    m = tl.full((BLOCK_M,), -float("inf"), tl.float32)  # safe here: every tile holds at least one real key
    l = tl.zeros((BLOCK_M,), tl.float32)
    acc = tl.zeros((BLOCK_M, D), tl.float32)
    for start in range(0, n, BLOCK_N):
        keys = start + tl.arange(0, BLOCK_N).to(tl.int64)
        key_mask = keys[:, None] < n
        k = tl.load(k_ptr + keys[:, None] * k_row_stride + dims[None, :], mask=key_mask, other=0.0)  # reads K
        v = tl.load(v_ptr + keys[:, None] * v_row_stride + dims[None, :], mask=key_mask, other=0.0)  # reads V

        k = tl.where(tl.abs(k.to(tl.float32)) < float("inf"), k, 0.0).to(k.dtype)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale  # (BLOCK_M, BLOCK_N)
        s = tl.where(keys[None, :] < n, s, -float("inf"))  # a key that is not there must get weight 0, not e^0
        m_new = tl.maximum(m, tl.max(s, axis=1))
        alpha = tl.exp(m - m_new)
        p = tl.exp(s - m_new[:, None])
        l = l * alpha + tl.sum(p, axis=1)
        # p goes to the tensor cores in the dtype of v; the sum stays in fp32.
        acc = tl.dot(p.to(v.dtype), v, acc * alpha[:, None], input_precision="ieee")
        m = m_new

    o = acc / l[:, None]  # once, not once per tile
    tl.store(o_ptr + rows[:, None] * o_row_stride + dims[None, :], o, mask=row_mask)  # writes O once


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
