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
@triton.jit
def pick_tile(pid, rows_of_tiles, cols_of_tiles, GROUP: tl.constexpr):
    per_group = GROUP * cols_of_tiles
    top = (pid // per_group) * GROUP
    tall = min(rows_of_tiles - top, GROUP)
    return top + (pid % per_group) % tall, (pid % per_group) // tall


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
    row_tile, col_tile = pick_tile(tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), GROUP_M)
    r = row_tile.to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    c = col_tile.to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    kk = tl.arange(0, BLOCK_K).to(tl.int64)
    pa = a_ptr + r[:, None] * stride_am + kk[None, :] * stride_ak
    pb = b_ptr + kk[:, None] * stride_bk + c[None, :] * stride_bn
    r_ok = r < M
    c_ok = c < N
    s = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    done = 0
    while done < K:
        k_ok = kk < K
        ta = tl.load(pa, mask=r_ok[:, None] & k_ok[None, :], other=0.0)
        tb = tl.load(pb, mask=k_ok[:, None] & c_ok[None, :], other=0.0)
        s = tl.dot(ta, tb, s)
        pa += BLOCK_K * stride_ak
        pb += BLOCK_K * stride_bk
        done += BLOCK_K
    if ACTIVATION == "leaky_relu":
        s = tl.maximum(s, 0.01 * s)
    pc = c_ptr + r[:, None] * stride_cm + c[None, :] * stride_cn
    tl.store(pc, s, mask=r_ok[:, None] & c_ok[None, :])


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
