# %% [markdown]
# # 5. FlashAttention: softmax between two matrix products
#
# Attention compares every query with every key and averages the values, weighted by the result:
#
# $$S = \frac{Q K^\top}{\sqrt d}, \qquad O = \operatorname{softmax}(S)\, V, \qquad
# Q, K, V, O: (n, d), \quad S: (n, n).$$
#
# **Why not in three kernels.** Then $S$, the scores, goes through DRAM: 1 GiB in fp32 for $n = 16{,}384$, where the
# four other matrices have 8 MiB each at $d = 128$. $S$ is no result; it should never leave the chip [1].
#
# **The idea.** A program takes BLOCK_M queries and walks along the keys in tiles of BLOCK_N. For every query it keeps
# the $m$ and $l$ of puzzle 4 and the output so far, relative to the same maximum: $\text{acc} = \sum_k e^{s_k - m} v_k$
# over the keys seen. When $m$ grows, `acc` is too large by the very factor by which `l` is, so the induction of
# puzzle 3 covers both [2]:
#
# $$\begin{aligned}
# s &= q\, k^\top / \sqrt d & (\text{BLOCK\_M}, \text{BLOCK\_N}) \\
# m' &= \max(m, \operatorname{rowmax} s), \quad \alpha = e^{m - m'}, \quad p = e^{s - m'} \\
# l &\leftarrow \alpha\, l + \operatorname{rowsum} p, \quad \text{acc} \leftarrow \alpha\, \text{acc} + p\, v,
# \quad m \leftarrow m'
# \end{aligned}$$
#
# After the last tile $o = \text{acc} / l$: one division per output element, not one per tile.
#
# **What to watch.**
#
# - A key past the end, loaded as 0, scores $0$ and not $-\infty$: it would get a weight. Mask the *scores*.
# - A value past the end must load as 0. Its weight is 0, but 0 times NaN or infinity is NaN.
# - `tl.dot(a, b, acc)` multiplies tiles, (M, K) by (K, N), and adds to `acc`, (M, N). K must be at least 16; here
#   it always is. A tile of `k` is loaded as (BLOCK_N, D), and `tl.trans` swaps its axes.
# - Both inputs need one dtype, and `acc` is fp32: cast $p$ to the dtype of `v`, with `.to(v.dtype)`.
# - `tl.dot` rounds fp32 inputs to TF32, with 11 significant bits in place of 24, the format of the GPU's tensor cores.
#   `input_precision="ieee"` prevents that. It changes nothing for fp16 and bf16, so always pass it.
#
# **What q, k and v may hold:** any float of their dtype for which scores and sums of n values are finite in fp32. What
# PyTorch gives is right. Scores may lie far below $-10^9$, the sums before the division far above fp16's 65,504, and a
# query with a NaN in it comes out as NaN.
#
# **What you may keep** from puzzle 4: offsets of 64 bits, 2-D tiles, masks both ways, $m$ and $l$ as vectors of rows.
#
# **Traffic to reach:** reads $Q$ once and $K$, $V$ once per program, writes $O$ once. No scratch memory, a tensor
# beside the output, of size $n^2$.
#
# **Limits:** $K$ and $V$ are read at most $\lceil n/16 \rceil$ times each; tiles of at most 16,384 elements.
#
# 1. T. Dao, D. Y. Fu, S. Ermon, A. Rudra, C. Ré, *FlashAttention*, 2022, arXiv:2205.14135.
# 2. T. Dao, *FlashAttention-2: faster attention with better parallelism and work partitioning*, 2023, arXiv:2307.08691.

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
    rows = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + rows[:, None] * q_row_stride + d[None, :], mask=rows[:, None] < n, other=0.0)

    m = tl.full((BLOCK_M,), -float("inf"), tl.float32)
    l = tl.zeros((BLOCK_M,), tl.float32)
    acc = tl.zeros((BLOCK_M, D), tl.float32)
    for start in range(0, n, BLOCK_N):
        keys = start + tl.arange(0, BLOCK_N).to(tl.int64)
        there = keys < n
        k = tl.load(k_ptr + keys[:, None] * k_row_stride + d[None, :], mask=there[:, None], other=0.0)
        v = tl.load(v_ptr + keys[:, None] * v_row_stride + d[None, :], mask=there[:, None], other=0.0)
        s = scale * tl.dot(q, tl.trans(k), input_precision="ieee")
        s = tl.where(there[None, :], s, -float("inf"))
        m_new = tl.maximum(m, tl.max(s, axis=1))
        alpha = tl.exp(m - m_new)
        p = tl.exp(s - m_new[:, None])
        acc = tl.dot(p.to(v.dtype), v, alpha[:, None] * acc, input_precision="ieee")
        l = alpha * l + tl.sum(p, axis=0)
        m = m_new

    tl.store(o_ptr + rows[:, None] * o_row_stride + d[None, :], acc / l[:, None], mask=rows[:, None] < n)


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
