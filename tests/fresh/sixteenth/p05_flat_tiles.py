# %% [markdown]
# # 5. int8 matmul over a flat list of tiles

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
def tile_list_kernel(
    a_ptr,
    b_ptr,
    a_scale_ptr,
    b_scale_ptr,
    c_ptr,
    M,
    N,
    K,
    tiles_m,
    tiles_n,
    a_zero,
    stride_am,
    stride_ak,
    stride_bk,
    stride_bn,
    stride_cm,
    stride_cn,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    pid = tl.program_id(0)
    pid_m, pid_n = pid // tiles_m, pid % tiles_m
    rows = pid_m.to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = pid_n.to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    row_ok = rows[:, None] < M
    col_ok = cols[None, :] < N
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.int32)
    sums = tl.zeros((BLOCK_N,), dtype=tl.int32)
    for start in range(0, K, BLOCK_K):
        ks = start + tl.arange(0, BLOCK_K).to(tl.int64)
        a_at = a_ptr + rows[:, None] * stride_am + ks[None, :] * stride_ak
        b_at = b_ptr + ks[:, None] * stride_bk + cols[None, :] * stride_bn
        a = tl.load(a_at, mask=row_ok & (ks[None, :] < K), other=0)
        b = tl.load(b_at, mask=col_ok & (ks[:, None] < K), other=0)
        sums += tl.sum(b.to(tl.int32), axis=0)
        acc += tl.dot(a, b) - a_zero * sums[None, :]
    a_scale = tl.load(a_scale_ptr + rows, mask=rows < M, other=0.0)
    b_scale = tl.load(b_scale_ptr + cols, mask=cols < N, other=0.0)
    c = acc.to(tl.float32) * a_scale[:, None] * b_scale[None, :]
    tl.store(c_ptr + rows[:, None] * stride_cm + cols[None, :] * stride_cn, c, mask=row_ok & col_ok)


# %%
def int8_matmul(
    a: torch.Tensor, b: torch.Tensor, a_scale: torch.Tensor, b_scale: torch.Tensor, a_zero: int
) -> torch.Tensor:
    (M, K), N = a.shape, b.shape[1]
    c = torch.empty((M, N), dtype=torch.float32, device=a.device)
    if c.numel() == 0:
        return c
    sizes = dict(BLOCK_M=32, BLOCK_N=32, BLOCK_K=64)
    tiles_m, tiles_n = triton.cdiv(M, sizes["BLOCK_M"]), triton.cdiv(N, sizes["BLOCK_N"])
    tile_list_kernel[(tiles_m * tiles_n,)](
        a,
        b,
        a_scale,
        b_scale,
        c,
        M,
        N,
        K,
        tiles_m,
        tiles_n,
        a_zero,
        *a.stride(),
        *b.stride(),
        *c.stride(),
        **sizes,
    )
    return c
