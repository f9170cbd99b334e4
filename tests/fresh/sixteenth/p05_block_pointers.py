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
def matmul_blocks(
    a_ptr,
    b_ptr,
    a_scale_ptr,
    b_scale_ptr,
    c_ptr,
    M,
    N,
    K,
    a_zero,
    a_strides_0,
    a_strides_1,
    b_strides_0,
    b_strides_1,
    c_strides_0,
    c_strides_1,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    top = tl.program_id(0) * BM
    left = tl.program_id(1) * BN
    a_blk = tl.make_block_ptr(a_ptr, (M, K), (a_strides_0, a_strides_1), (top, 0), (BM, BK), (1, 0))
    b_blk = tl.make_block_ptr(b_ptr, (K, N), (b_strides_0, b_strides_1), (0, left), (BK, BN), (1, 0))
    c_blk = tl.make_block_ptr(c_ptr, (M, N), (c_strides_0, c_strides_1), (top, left), (BM, BN), (1, 0))
    acc = tl.zeros((BM, BN), dtype=tl.int32)
    column = tl.zeros((BN,), dtype=tl.int32)
    for _ in range(0, K, BK):
        a = tl.load(a_blk, boundary_check=(0, 1), padding_option="zero")
        b = tl.load(b_blk, boundary_check=(0, 1), padding_option="zero")
        acc += tl.dot(a, b)
        column += tl.sum(b.to(tl.int32), axis=0)
        a_blk = tl.advance(a_blk, (0, BK))
        b_blk = tl.advance(b_blk, (BK, 0))
    m = top + tl.arange(0, BM)
    n = left + tl.arange(0, BN)
    s = tl.load(a_scale_ptr + m, mask=m < M, other=0.0)
    t = tl.load(b_scale_ptr + n, mask=n < N, other=0.0)
    c = (acc - a_zero * column[None, :]).to(tl.float32) * s[:, None] * t[None, :]
    tl.store(c_blk, c, boundary_check=(0,))


# %%
def int8_matmul(
    a: torch.Tensor, b: torch.Tensor, a_scale: torch.Tensor, b_scale: torch.Tensor, a_zero: int
) -> torch.Tensor:
    (M, K), N = a.shape, b.shape[1]
    c = torch.empty((M, N), dtype=torch.float32, device=a.device)
    if c.numel() == 0:
        return c
    block = {"BM": 32, "BN": 32, "BK": 64}
    grid = (triton.cdiv(M, block["BM"]), triton.cdiv(N, block["BN"]))
    matmul_blocks[grid](
        a, b, a_scale, b_scale, c, M, N, K, a_zero, *a.stride(), *b.stride(), *c.stride(), **block, num_warps=4
    )
    return c
