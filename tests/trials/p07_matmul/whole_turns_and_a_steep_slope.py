"""Two mistakes: only whole turns along K are taken, and the slope of the activation is 0.1."""

import torch
import triton
import triton.language as tl

def reference(a: torch.Tensor, b: torch.Tensor, activation: str = "") -> torch.Tensor:
    c = a.float() @ b.float()
    return (torch.nn.functional.leaky_relu(c, 0.01) if activation == "leaky_relu" else c).to(a.dtype)


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64, "GROUP_M": 8}, num_warps=8, num_stages=3),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 128, "BLOCK_K": 32, "GROUP_M": 8}, num_warps=4, num_stages=4),
    ],
    key=["M", "N", "K"],
)
@triton.jit
def matmul_kernel(
    x, w, out, M, N, K,
    x_m, x_k, w_k, w_n, out_m, out_n,
    ACTIVATION: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
):
    pid = tl.program_id(0)
    blocks_m = tl.cdiv(M, BLOCK_M)
    blocks_n = tl.cdiv(N, BLOCK_N)
    group = pid // (GROUP_M * blocks_n)
    rest = pid % (GROUP_M * blocks_n)
    lowest = group * GROUP_M
    high = min(blocks_m - lowest, GROUP_M)
    bm = lowest + rest % high
    bn = rest // high

    m = bm.to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = bn.to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for i in range(K // BLOCK_K):
        k = i * BLOCK_K + tl.arange(0, BLOCK_K).to(tl.int64)
        xt = tl.load(x + m[:, None] * x_m + k[None, :] * x_k, mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
        wt = tl.load(w + k[:, None] * w_k + n[None, :] * w_n, mask=(k[:, None] < K) & (n[None, :] < N), other=0.0)
        acc += tl.dot(xt, wt)

    if ACTIVATION == "leaky_relu":
        acc = tl.where(acc > 0.0, acc, 0.1 * acc)
    tl.store(out + m[:, None] * out_m + n[None, :] * out_n, acc, mask=(m[:, None] < M) & (n[None, :] < N))


def matmul(a: torch.Tensor, b: torch.Tensor, activation: str = "") -> torch.Tensor:
    (M, K), (_, N) = a.shape, b.shape
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    if c.numel() == 0:
        return c

    def grid(opt):
        return (triton.cdiv(M, opt["BLOCK_M"]) * triton.cdiv(N, opt["BLOCK_N"]),)

    matmul_kernel[grid](a, b, c, M, N, K, *a.stride(), *b.stride(), *c.stride(), ACTIVATION=activation)
    return c
