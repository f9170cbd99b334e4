"""The pointers into b move on by the stride along N in place of that along K."""

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
    A, B, C, M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    ACTIVATION: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
):
    pid = tl.program_id(0)
    nm = tl.cdiv(M, BLOCK_M)
    nn = tl.cdiv(N, BLOCK_N)
    width = GROUP_M * nn
    top = (pid // width) * GROUP_M
    size = tl.minimum(nm - top, GROUP_M)
    im = top + (pid % width) % size
    jn = (pid % width) // size

    i = (im * BLOCK_M + tl.arange(0, BLOCK_M)).to(tl.int64)
    j = (jn * BLOCK_N + tl.arange(0, BLOCK_N)).to(tl.int64)
    k = tl.arange(0, BLOCK_K).to(tl.int64)
    i_ok = i < M
    j_ok = j < N
    pa = A + i[:, None] * stride_am + k[None, :] * stride_ak
    pb = B + k[:, None] * stride_bk + j[None, :] * stride_bn

    acc = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    remaining = K
    while remaining > 0:
        ta = tl.load(pa, mask=i_ok[:, None] & (k < remaining)[None, :], other=0.0)
        tb = tl.load(pb, mask=(k < remaining)[:, None] & j_ok[None, :], other=0.0)
        acc = tl.dot(ta, tb, acc)
        pa += BLOCK_K * stride_ak
        pb += BLOCK_K * stride_bn
        remaining -= BLOCK_K

    if ACTIVATION == "leaky_relu":
        acc = acc * tl.where(acc < 0, 0.01, 1.0)
    tl.store(C + i[:, None] * stride_cm + j[None, :] * stride_cn, acc, mask=i_ok[:, None] & j_ok[None, :])


def matmul(a: torch.Tensor, b: torch.Tensor, activation: str = "") -> torch.Tensor:
    m, k = a.shape
    n = b.shape[1]
    c = torch.empty((m, n), dtype=a.dtype, device=a.device)
    if c.numel() == 0:
        return c
    strides = (a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0), c.stride(1))
    grid = lambda cfg: (triton.cdiv(m, cfg["BLOCK_M"]) * triton.cdiv(n, cfg["BLOCK_N"]),)
    matmul_kernel[grid](a, b, c, m, n, k, *strides, ACTIVATION=activation)
    return c
