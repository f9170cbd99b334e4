import torch
import triton
import triton.language as tl


def reference(a: torch.Tensor, b: torch.Tensor, activation: str = "") -> torch.Tensor:
    c = a.float() @ b.float()
    return (torch.nn.functional.leaky_relu(c, 0.01) if activation == "leaky_relu" else c).to(a.dtype)


@triton.autotune(
    configs=[
        triton.Config({"BM": 128, "BN": 128, "BK": 64, "GROUP": 8}, num_warps=8, num_stages=3),
        triton.Config({"BM": 64, "BN": 128, "BK": 32, "GROUP": 8}, num_warps=4, num_stages=4),
    ],
    key=["M", "N", "K"],
)
@triton.jit
def gemm(
    A, B, C, M, N, K, am, ak, bk, bn, cm, cn,
    ACT: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
):
    """A block has a tile of C; its pointers move along K."""
    blk = tl.program_id(0)
    gx = tl.cdiv(N, BN)
    gy = tl.cdiv(M, BM)
    by0 = blk // (GROUP * gx) * GROUP
    h = min(gy - by0, GROUP)
    by = by0 + blk % (GROUP * gx) % h
    bx = blk % (GROUP * gx) // h

    i = by.to(tl.int64) * BM + tl.arange(0, BM)
    j = bx.to(tl.int64) * BN + tl.arange(0, BN)
    kk = tl.arange(0, BK).to(tl.int64)
    pA = A + i[:, None] * am + kk[None, :] * ak
    pB = B + kk[:, None] * bk + j[None, :] * bn
    hop = BK

    acc = tl.zeros((BM, BN), tl.float32)
    for k0 in range(0, K, BK):
        tA = tl.load(pA, mask=(i[:, None] < M) & (kk[None, :] < K - k0), other=0.0)
        tB = tl.load(pB, mask=(kk[:, None] < K - k0) & (j[None, :] < N), other=0.0)
        acc = tl.dot(tA, tB, acc)
        pA += hop * ak
        pB += hop * bk

    if ACT == "leaky_relu":
        acc = tl.where(acc < 0, acc * 0.01, acc)
    tl.store(C + i[:, None] * cm + j[None, :] * cn, acc, mask=(i[:, None] < M) & (j[None, :] < N))


def matmul(a: torch.Tensor, b: torch.Tensor, activation: str = "") -> torch.Tensor:
    M, K = a.shape
    N = b.shape[1]
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    if c.numel() == 0:
        return c
    gemm[lambda meta: (triton.cdiv(M, meta["BM"]) * triton.cdiv(N, meta["BN"]),)](
        a, b, c, M, N, K,
        a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0), c.stride(1),
        ACT=activation,
    )
    return c
