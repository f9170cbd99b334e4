"""b moves on by elements, not rows: `b_move = BLOCK_K`."""

# %%
import torch
import triton
import triton.language as tl


# %%
def reference(a: torch.Tensor, b: torch.Tensor, activation: str = "") -> torch.Tensor:
    """Return a @ b, behind a leaky ReLU with slope 0.01 where `activation` is "leaky_relu".

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
    BLOCK_K: tl.constexpr,  # columns of a and rows of b in one turn, a power of two, at least 16
    GROUP_M: tl.constexpr,  # rows of tiles in a group
):
    """Write one tile of c, (BLOCK_M, BLOCK_N), walking along K."""
    down = tl.cdiv(M, BLOCK_M)
    across = tl.cdiv(N, BLOCK_N)
    pid = tl.program_id(0)
    tile_m, tile_n = tl.swizzle2d(pid // across, pid % across, down, across, GROUP_M)

    m_at = tile_m.to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    n_at = tile_n.to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    k_at = tl.arange(0, BLOCK_K).to(tl.int64)
    bt = b_ptr + n_at[:, None] * stride_bn + k_at[None, :] * stride_bk  # (BLOCK_N, BLOCK_K)
    at = a_ptr + k_at[:, None] * stride_ak + m_at[None, :] * stride_am  # (BLOCK_K, BLOCK_M)
    b_move = BLOCK_K
    a_move = stride_ak * BLOCK_K

    ct = tl.zeros((BLOCK_N, BLOCK_M), tl.float32)  # c transposed
    remaining = K
    for _ in range(tl.cdiv(K, BLOCK_K)):
        b_tile = tl.load(bt, mask=(n_at < N)[:, None] & (k_at < remaining)[None, :], other=0.0)
        a_tile = tl.load(at, mask=(k_at < remaining)[:, None] & (m_at < M)[None, :], other=0.0)
        ct = tl.dot(b_tile, a_tile, ct)
        bt += b_move
        at += a_move
        remaining -= BLOCK_K

    if ACTIVATION == "leaky_relu":
        slope = tl.where(ct < 0, 0.01, 1.0)
        ct = ct * slope
    out = c_ptr + n_at[:, None] * stride_cn + m_at[None, :] * stride_cm
    tl.store(out, ct, mask=(n_at < N)[:, None] & (m_at < M)[None, :])


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

    matmul_kernel[lambda meta: (triton.cdiv(M, meta["BLOCK_M"]) * triton.cdiv(N, meta["BLOCK_N"]),)](
        a,
        b,
        c,
        M,
        N,
        K,
        *a.stride(),
        *b.stride(),
        *c.stride(),
        ACTIVATION=activation,
    )
    return c
