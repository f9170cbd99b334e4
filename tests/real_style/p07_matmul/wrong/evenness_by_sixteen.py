"""Takes every K that 16 divides for a whole number of tiles of 64.

Code: out-of-bounds-load
"""

import torch
import triton
import triton.language as tl


@triton.heuristics({"EVEN_K": lambda args: args["K"] % 16 == 0})
@triton.jit
def _kernel(
    A, B, C, M, N, K, lda, ska, ldb, skb, ldc, act: tl.constexpr, EVEN_K: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
):  # fmt: skip
    pid = tl.program_id(0)
    grid_m = tl.cdiv(M, BLOCK_M)
    grid_n = tl.cdiv(N, BLOCK_N)
    width = GROUP_M * grid_n
    group_id = pid // width
    group_size = min(grid_m - group_id * GROUP_M, GROUP_M)
    pid_m = group_id * GROUP_M + (pid % width) % group_size
    pid_n = (pid % width) // group_size
    rm = (pid_m * BLOCK_M + tl.arange(0, BLOCK_M)).to(tl.int64)
    rn = (pid_n * BLOCK_N + tl.arange(0, BLOCK_N)).to(tl.int64)
    rk = tl.arange(0, BLOCK_K).to(tl.int64)
    in_m = rm < M
    in_n = rn < N
    A = A + (rm[:, None] * lda + rk[None, :] * ska)
    B = B + (rk[:, None] * ldb + rn[None, :] * skb)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(K, 0, -BLOCK_K):
        if EVEN_K:
            a = tl.load(A, mask=in_m[:, None], other=0.0)
            b = tl.load(B, mask=in_n[None, :], other=0.0)
        else:
            a = tl.load(A, mask=in_m[:, None] & (rk[None, :] < k), other=0.0)
            b = tl.load(B, mask=(rk[:, None] < k) & in_n[None, :], other=0.0)
        acc = tl.dot(a, b, acc=acc, out_dtype=tl.float32)
        A += BLOCK_K * ska
        B += BLOCK_K * ldb
    if act:
        acc = tl.where(acc > 0, acc, 0.01 * acc)
    tl.store(C + (rm[:, None] * ldc + rn[None, :]), acc.to(C.dtype.element_ty), mask=in_m[:, None] & in_n[None, :])


def matmul(a, b, activation=""):
    M, K = a.shape
    _, N = b.shape
    c = torch.empty((M, N), device=a.device, dtype=a.dtype)
    if not c.numel():
        return c
    grid = (triton.cdiv(M, 128) * triton.cdiv(N, 64),)
    _kernel[grid](
        a, b, c, M, N, K, *a.stride(), *b.stride(), c.stride(0), act=bool(activation),
        BLOCK_M=128, BLOCK_N=64, BLOCK_K=64, GROUP_M=8, num_warps=4, num_stages=3,
    )  # fmt: skip
    return c
