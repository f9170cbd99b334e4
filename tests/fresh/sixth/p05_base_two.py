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
    qs = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    ds = tl.arange(0, D)
    q_ok = (qs < n)[:, None]
    qt = tl.load(q_ptr + qs[:, None] * q_row_stride + ds[None, :], mask=q_ok, other=0.0)
    log_scale = scale
    m_q = tl.full((BLOCK_M,), -float("inf"), tl.float32)
    l_q = tl.zeros((BLOCK_M,), tl.float32)
    o_q = tl.zeros((BLOCK_M, D), tl.float32)
    lo = 0
    while lo < n:
        ks = lo + tl.arange(0, BLOCK_N).to(tl.int64)
        k_ok = ks < n
        kt = tl.load(k_ptr + ks[None, :] * k_row_stride + ds[:, None], mask=k_ok[None, :], other=0.0)
        vt = tl.load(v_ptr + ks[:, None] * v_row_stride + ds[None, :], mask=k_ok[:, None], other=0.0)
        st = tl.dot(qt, kt, input_precision="ieee") * log_scale
        st = tl.where(k_ok[None, :], st, -float("inf"))
        m_next = tl.maximum(m_q, tl.max(st, axis=1))
        beta = tl.exp2(m_q - m_next)
        pt = tl.exp2(st - m_next[:, None])
        l_q = l_q * beta + tl.sum(pt, axis=1)
        o_q = tl.dot(pt.to(vt.dtype), vt, o_q * beta[:, None], input_precision="ieee")
        m_q = m_next
        lo += BLOCK_N
    tl.store(o_ptr + qs[:, None] * o_row_stride + ds[None, :], o_q / l_q[:, None], mask=q_ok)


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
