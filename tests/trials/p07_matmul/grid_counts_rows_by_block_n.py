"""The grid counts rows of tiles by BLOCK_N: `triton.cdiv(M, meta["BLOCK_N"])`."""

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
@triton.jit
def place(number, tiles_down, tiles_across, GROUP: tl.constexpr):
    """Return the row and the column of tile `number`, in groups of GROUP rows of tiles."""
    per_group = GROUP * tiles_across
    top = number // per_group * GROUP
    deep = tl.minimum(tiles_down - top, GROUP)
    inside = number % per_group
    return top + inside % deep, inside // deep


@triton.jit
def leaky(t):
    return tl.where(t < 0, t * 0.01, t)


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
    number = tl.program_id(0)
    m, n = place(number, tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), GROUP_M)

    i = m.to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    j = n.to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    i_ok = (i < M)[:, None]
    j_ok = (j < N)[None, :]

    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    done = 0
    while done < K:
        k = done + tl.arange(0, BLOCK_K).to(tl.int64)
        left_tile = tl.load(
            a_ptr + i[:, None] * stride_am + k[None, :] * stride_ak,
            mask=i_ok & (k[None, :] < K),
            other=0.0,
        )
        right_tile = tl.load(
            b_ptr + k[:, None] * stride_bk + j[None, :] * stride_bn,
            mask=j_ok & (k[:, None] < K),
            other=0.0,
        )
        total += tl.dot(left_tile, right_tile)
        done += BLOCK_K

    if ACTIVATION == "leaky_relu":
        total = leaky(total)
    tl.store(c_ptr + i[:, None] * stride_cm + j[None, :] * stride_cn, total, mask=i_ok & j_ok)


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
        return (triton.cdiv(M, meta["BLOCK_N"]) * triton.cdiv(N, meta["BLOCK_N"]),)

    strides = (*a.stride(), *b.stride(), *c.stride())
    matmul_kernel[grid](a, b, c, M, N, K, *strides, ACTIVATION=activation)
    return c
