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
    qi = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    e = tl.arange(0, D)
    Q = tl.load(q_ptr + qi[:, None] * q_row_stride + e[None, :], mask=qi[:, None] < n, other=0.0)
    top = tl.full([BLOCK_M], -float("inf"), tl.float32)
    den = tl.zeros([BLOCK_M], tl.float32)
    out = tl.zeros([BLOCK_M, D], tl.float32)
    j = tl.arange(0, BLOCK_N).to(tl.int64)
    kp = k_ptr + j[:, None] * k_row_stride + e[None, :]
    vp = v_ptr + j[:, None] * v_row_stride + e[None, :]
    for s in range(0, n, BLOCK_N):
        here = j < n - s
        K = tl.load(kp, mask=here[:, None], other=0.0)
        sc = tl.dot(Q, tl.trans(K), input_precision="ieee") * scale
        sc = tl.where(here[None, :], sc, -float("inf"))
        new_top = tl.maximum(top, tl.max(sc, axis=1))
        w = tl.exp(sc - new_top[:, None])
        fix = tl.exp(top - new_top)
        den = den * fix + tl.sum(w, axis=1)
        V = tl.load(vp, mask=here[:, None], other=0.0)
        out += tl.dot(w.to(V.dtype), V, input_precision="ieee")
        top = new_top
        kp += BLOCK_N * k_row_stride
        vp += BLOCK_N * v_row_stride
    tl.store(o_ptr + qi[:, None] * o_row_stride + e[None, :], out / den[:, None], mask=qi[:, None] < n)


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
