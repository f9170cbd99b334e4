"""The accumulator holds the transposed tile of c, which is stored without swapping its axes."""
import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"T": 64, "BLOCK_K": 64, "GROUP_M": 8}, num_warps=4, num_stages=3)],
    key=["M", "N", "K"],
)
@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, a0, a1, b0, b1, c0, c1, ACTIVATION: tl.constexpr, T: tl.constexpr,
    BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr
):  # fmt: skip
    pid = tl.program_id(0)
    across = tl.cdiv(N, T)
    group = pid // (GROUP_M * across)
    tall = min(tl.cdiv(M, T) - group * GROUP_M, GROUP_M)
    rest = pid % (GROUP_M * across)
    rows = (group * GROUP_M + rest % tall).to(tl.int64) * T + tl.arange(0, T)
    cols = (rest // tall).to(tl.int64) * T + tl.arange(0, T)
    ks = tl.arange(0, BLOCK_K).to(tl.int64)

    # c^T = b^T a^T, both tiles loaded on their sides
    bt = b_ptr + cols[:, None] * b1 + ks[None, :] * b0
    at = a_ptr + ks[:, None] * a1 + rows[None, :] * a0
    acc = tl.zeros((T, T), tl.float32)
    left = K
    while left > 0:
        lhs = tl.load(bt, mask=(cols[:, None] < N) & (ks[None, :] < left), other=0.0)
        rhs = tl.load(at, mask=(ks[:, None] < left) & (rows[None, :] < M), other=0.0)
        acc = tl.dot(lhs, rhs, acc)
        bt += BLOCK_K * b0
        at += BLOCK_K * a1
        left -= BLOCK_K
    if ACTIVATION == "leaky_relu":
        acc = tl.where(acc < 0, 0.01 * acc, acc)
    tile = acc
    tl.store(c_ptr + rows[:, None] * c0 + cols[None, :] * c1, tile, mask=(rows[:, None] < M) & (cols[None, :] < N))


def matmul(a: torch.Tensor, b: torch.Tensor, activation: str = "") -> torch.Tensor:
    M, K = a.shape
    N = b.shape[1]
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    if M == 0 or N == 0:
        return c

    def grid(meta):
        return (triton.cdiv(M, meta["T"]) * triton.cdiv(N, meta["T"]),)

    matmul_kernel[grid](a, b, c, M, N, K, *a.stride(), *b.stride(), *c.stride(), ACTIVATION=activation)
    return c
