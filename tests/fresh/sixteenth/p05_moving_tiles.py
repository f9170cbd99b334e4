# %% [markdown]
# # 5. A product of int8 matrices, with pointers that move along K

# %%
import torch
import triton
import triton.language as tl


# %%
def reference(
    a: torch.Tensor, b: torch.Tensor, a_scale: torch.Tensor, b_scale: torch.Tensor, a_zero: int
) -> torch.Tensor:
    """Return the product of what a and b stand for.

    a: (M, K) int8; b: (K, N) int8
    a_scale: (M,), b_scale: (N,) float32
    returns: (M, N) float32
    """
    return ((a.double() - a_zero) @ b.double() * a_scale[:, None] * b_scale[None, :]).float()


# %%
@triton.jit
def int8_matmul_kernel(
    a_ptr,
    b_ptr,
    a_scale_ptr,
    b_scale_ptr,
    c_ptr,
    M,
    N,
    K,
    a_zero,
    stride_am,
    stride_ak,
    stride_bk,
    stride_bn,
    stride_cm,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    offs_m = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.program_id(1).to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_k = tl.arange(0, BLOCK_K)
    wide_k = offs_k.to(tl.int64)
    m_ok = offs_m < M
    n_ok = offs_n < N
    a_tile = a_ptr + (offs_m[:, None] * stride_am + wide_k[None, :] * stride_ak)
    b_tile = b_ptr + (wide_k[:, None] * stride_bk + offs_n[None, :] * stride_bn)
    hop = tl.full((), BLOCK_K, tl.int64)

    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.int32)
    sums = tl.zeros((BLOCK_N,), dtype=tl.int32)
    for k in range(0, K, BLOCK_K):
        k_ok = offs_k < K - k
        a = tl.load(a_tile, mask=m_ok[:, None] & k_ok[None, :], other=0)
        b = tl.load(b_tile, mask=k_ok[:, None] & n_ok[None, :], other=0)
        acc += tl.dot(a, b)
        sums += tl.sum(b.to(tl.int32), axis=0)
        a_tile += hop
        b_tile += hop * stride_bk

    scale_m = tl.load(a_scale_ptr + offs_m, mask=m_ok, other=0.0)
    scale_n = tl.load(b_scale_ptr + offs_n, mask=n_ok, other=0.0)
    c = (acc - sums[None, :] * a_zero).to(tl.float32)
    c = c * scale_m[:, None] * scale_n[None, :]
    tl.store(c_ptr + offs_m[:, None] * stride_cm + offs_n[None, :], c, mask=m_ok[:, None] & n_ok[None, :])


# %%
def int8_matmul(
    a: torch.Tensor, b: torch.Tensor, a_scale: torch.Tensor, b_scale: torch.Tensor, a_zero: int
) -> torch.Tensor:
    (M, K), N = a.shape, b.shape[1]
    c = torch.empty((M, N), dtype=torch.float32, device=a.device)
    if c.numel() == 0:
        return c
    BLOCK_M, BLOCK_N, BLOCK_K = 32, 64, 32
    int8_matmul_kernel[(triton.cdiv(M, BLOCK_M), triton.cdiv(N, BLOCK_N))](
        a,
        b,
        a_scale,
        b_scale,
        c,
        M,
        N,
        K,
        a_zero,
        a.stride(0),
        a.stride(1),
        b.stride(0),
        b.stride(1),
        c.stride(0),
        BLOCK_M=BLOCK_M,
        BLOCK_N=BLOCK_N,
        BLOCK_K=BLOCK_K,
    )
    return c
