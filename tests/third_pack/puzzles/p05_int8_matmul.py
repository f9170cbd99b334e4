# %% [markdown]
# # 5. A product of int8 matrices
#
# Quantised numbers stand for others: $a_{ik}$ for $(a_{ik} - z)\, s_i$, and $b_{kj}$ for $b_{kj}\, t_j$. Their product:
#
# $$c_{ij} = s_i t_j \Big( \sum_k a_{ik} b_{kj} - z \sum_k b_{kj} \Big).$$
#
# **What to watch.** The sum needs int32. $z$ is taken off once for each column of $b$, and lanes past the end must add
# nothing to either sum. Scales are applied once, behind the loop.
#
# **Limits:** one launch, no scratch memory. **Traffic to reach:** $a$ once per column of tiles, $b$ once per row.

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
    a_ptr,  # input, (M, K) int8
    b_ptr,  # input, (K, N) int8
    a_scale_ptr,  # input, (M,) float32
    b_scale_ptr,  # input, (N,) float32
    c_ptr,  # output, (M, N) float32
    M,
    N,
    K,
    a_zero,  # what stands for 0 in a
    stride_am,  # elements from one row of a to the next
    stride_ak,  # elements from one column of a to the next
    stride_bk,
    stride_bn,
    stride_cm,
    stride_cn,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    """Write tile (`tl.program_id(0)`, `tl.program_id(1)`) of c."""
    # TODO: walk along K, sum products and columns of b, scale, store (about 15 lines)


# %%
def int8_matmul(
    a: torch.Tensor, b: torch.Tensor, a_scale: torch.Tensor, b_scale: torch.Tensor, a_zero: int
) -> torch.Tensor:
    """Launch one program per tile of c.

    a: (M, K) int8; b: (K, N) int8, any strides
    a_scale: (M,), b_scale: (N,) float32, contiguous
    a_zero: what stands for 0 in a
    returns: (M, N) float32
    """
    (M, K), N = a.shape, b.shape[1]
    c = torch.empty((M, N), dtype=torch.float32, device=a.device)
    if c.numel() == 0:
        return c
    BLOCK_M, BLOCK_N, BLOCK_K = 32, 32, 64
    grid = (triton.cdiv(M, BLOCK_M), triton.cdiv(N, BLOCK_N))
    strides = (*a.stride(), *b.stride(), *c.stride())
    sizes = {"BLOCK_M": BLOCK_M, "BLOCK_N": BLOCK_N, "BLOCK_K": BLOCK_K}
    int8_matmul_kernel[grid](a, b, a_scale, b_scale, c, M, N, K, a_zero, *strides, **sizes)
    return c
