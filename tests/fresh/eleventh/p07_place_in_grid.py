"""Matrix product with a function of its own for the order of the programs."""

import torch
import triton
import triton.language as tl


def reference(a: torch.Tensor, b: torch.Tensor, activation: str = "") -> torch.Tensor:
    """Return a @ b, after a leaky ReLU with slope 0.01 where `activation` is "leaky_relu"."""
    c = a.float() @ b.float()
    return (torch.nn.functional.leaky_relu(c, 0.01) if activation == "leaky_relu" else c).to(a.dtype)


@triton.jit
def place(pid, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP_M: tl.constexpr):
    """Return the row and the column of tiles that program pid has."""
    down = tl.cdiv(M, BLOCK_M)
    across = tl.cdiv(N, BLOCK_M)
    first = pid // (GROUP_M * across) * GROUP_M
    height = min(down - first, GROUP_M)
    rest = pid - first * across
    return first + rest % height, rest // height


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 32, "GROUP_M": 8}, num_warps=8, num_stages=4),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 128, "BLOCK_K": 64, "GROUP_M": 4}, num_warps=4, num_stages=3),
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 64, "BLOCK_K": 64, "GROUP_M": 4}, num_warps=4, num_stages=3),
    ],
    key=["M", "N", "K"],
)
@triton.jit
def matmul_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    stride_am,
    stride_ak,
    stride_bk,
    stride_bn,
    stride_cm,
    stride_cn,
    ACTIVATION: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
):
    pid_m, pid_n = place(tl.program_id(0), M, N, BLOCK_M, BLOCK_N, GROUP_M)
    rows = (pid_m * BLOCK_M + tl.arange(0, BLOCK_M).to(tl.int64))[:, None]
    cols = (pid_n * BLOCK_N + tl.arange(0, BLOCK_N).to(tl.int64))[None, :]
    a_row = a_ptr + rows * stride_am
    b_col = b_ptr + cols * stride_bn

    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for i in range(tl.cdiv(K, BLOCK_K)):
        ks = i * BLOCK_K + tl.arange(0, BLOCK_K).to(tl.int64)
        ks_a, ks_b = ks[None, :], ks[:, None]
        a = tl.load(a_row + ks_a * stride_ak, mask=(rows < M) & (ks_a < K), other=0.0)
        b = tl.load(b_col + ks_b * stride_bk, mask=(ks_b < K) & (cols < N), other=0.0)
        acc += tl.dot(a, b)

    if ACTIVATION == "leaky_relu":
        acc = tl.where(acc >= 0, acc, acc * 0.01)
    tl.store(c_ptr + rows * stride_cm + cols * stride_cn, acc, mask=(rows < M) & (cols < N))


def matmul(a: torch.Tensor, b: torch.Tensor, activation: str = "") -> torch.Tensor:
    (M, K), (_, N) = a.shape, b.shape
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    if c.numel() == 0:
        return c

    def grid(meta):
        return (triton.cdiv(M, meta["BLOCK_M"]) * triton.cdiv(N, meta["BLOCK_N"]),)

    matmul_kernel[grid](a, b, c, M, N, K, *a.stride(), *b.stride(), *c.stride(), ACTIVATION=activation)
    return c
