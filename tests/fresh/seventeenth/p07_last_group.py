# %% [markdown]
# # 7. Matrix product: tiles, their order, and a fused activation
#
# $$C = A B, \qquad A: (M, K), \quad B: (K, N), \quad C: (M, N).$$
#
# **Why tiles.** An element of $C$ needs a row of $A$ and a column of $B$. A tile of BLOCK_M by BLOCK_N elements needs
# BLOCK_M rows and BLOCK_N columns, each with each: $A$ is read once for each *column* of tiles, $B$ once for each *row*
# of tiles. A program goes along $K$ in iterations of BLOCK_K products and adds them up in fp32:
#
#     a: (BLOCK_M, BLOCK_K)   b: (BLOCK_K, BLOCK_N)   acc: (BLOCK_M, BLOCK_N)
#
# **The order of programs.** You choose the tile of program `pid`. Programs start in the order of their numbers, and
# those that run together share what they read through the L2 cache. Say 16 run at once, and a row of $C$ has 16 tiles.
# Row by row they need $A$ for 1 row of tiles and $B$ for 16 columns; as a block of 4 by 4, for 4 and 4: DRAM reads
# less. So number the tiles in *groups* of GROUP_M rows, and in a group column by column. With GROUP_M = 2:
#
#     pid_n      0   1   2   3
#     pid_m 0    0   2   4   6
#           1    1   3   5   7
#           2    8   9  10  11
#
# A group has GROUP_M * 4 programs here. The last group may have fewer rows.
#
# **The autotuner** times the configurations of its list on the first call with new values of `key`, and keeps the
# fastest. The launch does not pass what a configuration sets; the grid is a function of it. Every configuration must be
# right: without a GPU the grader runs the first on every case, the others on some. You may change the list.
#
# **The activation** "leaky_relu" multiplies what is negative by 0.01. A second kernel would read and write all of $C$
# again; here `acc` is on chip. Activate the whole sum, in fp32. The compiler decides an `if` on a constexpr.
#
# **What to watch.**
#
# - In the last iteration fewer than BLOCK_K products are left: past $K$ both tiles must hold 0. If $K$ is 0, so is $C$.
# - Each matrix has two strides: `a.T` is a view of `a` with its strides exchanged. Offsets may need 64 bits.
#
# **What a and b may hold:** fp16 or bf16. Sums may pass 65,504 on the way; sums of whole numbers must be exact.
# **What you may keep** from puzzle 5: `tl.dot(a, b, acc)`, the loop, masks. One kernel, launched once, no scratch.
#
# **Traffic to reach:** reads $A$ at most $\lceil N/64 \rceil$ times, $B$ $\lceil M/64 \rceil$ times, in whole tiles of
# at most 32,768 elements. In one case, with a model of an L2 cache, DRAM reads both at most 7 times (row by row, 13).

# %%
import torch
import triton
import triton.language as tl


# %%
def reference(a: torch.Tensor, b: torch.Tensor, activation: str = "") -> torch.Tensor:
    """Return a @ b, after a leaky ReLU with slope 0.01 where `activation` is "leaky_relu".

    a: (M, K) float16 or bfloat16, any strides
    b: (K, N) same dtype, any strides
    returns: (M, N), dtype of a, computed in float32 and rounded once
    """
    c = a.float() @ b.float()
    return (torch.nn.functional.leaky_relu(c, 0.01) if activation == "leaky_relu" else c).to(a.dtype)


# %%
@triton.autotune(
    configs=[
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64, "GROUP_M": 8}, num_warps=8, num_stages=3),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 128, "BLOCK_K": 32, "GROUP_M": 8}, num_warps=4, num_stages=4),
    ],
    key=["M", "N", "K"],
)
@triton.jit
def matmul_kernel(
    a_ptr,  # (M, K) float16 or bfloat16
    b_ptr,  # (K, N) same dtype
    c_ptr,  # output, (M, N) same dtype
    M,  # rows of a and c, at least 1
    N,  # columns of b and c, at least 1
    K,  # columns of a and rows of b, at least 0
    stride_am,  # elements from one row of a to the next
    stride_ak,  # elements from one column of a to the next
    stride_bk,
    stride_bn,
    stride_cm,
    stride_cn,
    ACTIVATION: tl.constexpr,  # "" or "leaky_relu"
    BLOCK_M: tl.constexpr,  # rows of a tile of c, a power of two
    BLOCK_N: tl.constexpr,  # columns of a tile of c, a power of two
    BLOCK_K: tl.constexpr,  # columns of a and rows of b in one iteration, a power of two, at least 16
    GROUP_M: tl.constexpr,  # rows of tiles in a group
):
    """Write one tile of c, (BLOCK_M, BLOCK_N), walking along K."""
    pid = tl.program_id(0)
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    # which group, and which tile of the group
    in_group = GROUP_M * tiles_n
    group_id = pid // in_group
    rest = pid % in_group
    group_rows = min(tiles_m - group_id * GROUP_M, GROUP_M)
    pid_m = group_id * GROUP_M + rest % group_rows
    pid_n = rest // GROUP_M

    offs_m = pid_m.to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = pid_n.to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_k = tl.arange(0, BLOCK_K).to(tl.int64)
    a_ptrs = a_ptr + offs_m[:, None] * stride_am + offs_k[None, :] * stride_ak
    b_ptrs = b_ptr + offs_k[:, None] * stride_bk + offs_n[None, :] * stride_bn
    block_k = tl.full((), BLOCK_K, tl.int64)

    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, K, BLOCK_K):
        a = tl.load(a_ptrs, mask=(offs_m[:, None] < M) & (offs_k[None, :] < K - k), other=0.0)
        b = tl.load(b_ptrs, mask=(offs_k[:, None] < K - k) & (offs_n[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += block_k * stride_ak
        b_ptrs += block_k * stride_bk

    if ACTIVATION == "leaky_relu":
        acc = tl.where(acc < 0, acc * 0.01, acc)
    c_ptrs = c_ptr + offs_m[:, None] * stride_cm + offs_n[None, :] * stride_cn
    tl.store(c_ptrs, acc, mask=(offs_m[:, None] < M) & (offs_n[None, :] < N))


# %%
def matmul(a: torch.Tensor, b: torch.Tensor, activation: str = "") -> torch.Tensor:
    """Launch one program per tile of c.

    a: (M, K) float16 or bfloat16, any strides
    b: (K, N) same dtype, any strides
    returns: (M, N), dtype of a, contiguous; `activation` is "" or "leaky_relu"
    """
    (M, K), (_, N) = a.shape, b.shape
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    if c.numel() == 0:
        return c

    def grid(meta):
        return (triton.cdiv(M, meta["BLOCK_M"]) * triton.cdiv(N, meta["BLOCK_N"]),)

    strides = (*a.stride(), *b.stride(), *c.stride())
    matmul_kernel[grid](a, b, c, M, N, K, *strides, ACTIVATION=activation)
    return c
