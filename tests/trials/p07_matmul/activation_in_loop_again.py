"""The activation is inside the loop along K: `if ACTIVATION == "leaky_relu": total = leaky(total)` indented one level too deep"""

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
@triton.jit
def leaky(x):
    return tl.where(x >= 0, x, 0.01 * x)


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
    pid = tl.program_id(0)
    num_pid_m = tl.cdiv(M, BLOCK_M)
    num_pid_n = tl.cdiv(N, BLOCK_N)
    in_group = GROUP_M * num_pid_n
    first_pid_m = (pid // in_group) * GROUP_M
    size_m = min(num_pid_m - first_pid_m, GROUP_M)
    pid_m = first_pid_m + (pid % in_group) % size_m
    pid_n = (pid % in_group) // size_m

    offs_m = pid_m.to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = pid_n.to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    # rows and columns past the end wrap around: they are never stored
    am = offs_m % M
    bn = offs_n % N
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for kk in range(0, tl.cdiv(K, BLOCK_K)):
        ks = kk * BLOCK_K + tl.arange(0, BLOCK_K).to(tl.int64)
        a = tl.load(a_ptr + am[:, None] * stride_am + ks[None, :] * stride_ak, mask=ks[None, :] < K, other=0.0)
        b = tl.load(b_ptr + ks[:, None] * stride_bk + bn[None, :] * stride_bn, mask=ks[:, None] < K, other=0.0)
        total += tl.dot(a, b)
        if ACTIVATION == "leaky_relu":
            total = leaky(total)
    c_mask = (offs_m[:, None] < M) & (offs_n[None, :] < N)
    tl.store(c_ptr + offs_m[:, None] * stride_cm + offs_n[None, :] * stride_cn, total, mask=c_mask)


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
