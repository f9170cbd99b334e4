import torch
import triton
import triton.language as tl


def reference(
    a: torch.Tensor, b: torch.Tensor, a_scale: torch.Tensor, b_scale: torch.Tensor, a_zero: int
) -> torch.Tensor:
    """Return the product of what a and b stand for.

    a: (M, K) int8; b: (K, N) int8
    a_scale: (M,), b_scale: (N,) float32
    returns: (M, N) float32
    """
    return ((a.double() - a_zero) @ b.double() * a_scale[:, None] * b_scale[None, :]).float()


@triton.jit
def _which_tile(pid, tiles_m, tiles_n, GROUP: tl.constexpr):
    per_group = GROUP * tiles_n
    first = (pid // per_group) * GROUP
    height = GROUP
    inside = pid % per_group
    return first + inside % height, inside // height


@triton.jit
def grouped_kernel(
    a_ptr,
    a0,
    a1,
    b_ptr,
    b0,
    b1,
    c_ptr,
    c0,
    c1,
    as_ptr,
    bs_ptr,
    M,
    N,
    K,
    a_zero,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    GROUP: tl.constexpr,
):
    tm, tn = _which_tile(tl.program_id(0), tl.cdiv(M, BM), tl.cdiv(N, BN), GROUP)
    rm = tm.to(tl.int64) * BM + tl.arange(0, BM)
    rn = tn.to(tl.int64) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), dtype=tl.int32)
    b_total = tl.zeros((1, BN), dtype=tl.int32)
    for start in range(0, K, BK):
        rk = start + tl.arange(0, BK).to(tl.int64)
        a = tl.load(a_ptr + rm[:, None] * a0 + rk[None, :] * a1, mask=(rm[:, None] < M) & (rk[None, :] < K), other=0)
        b = tl.load(b_ptr + rk[:, None] * b0 + rn[None, :] * b1, mask=(rk[:, None] < K) & (rn[None, :] < N), other=0)
        total += tl.dot(a, b)
        b_total += tl.sum(b.to(tl.int32), axis=0)[None, :]
    total -= b_total * a_zero
    s = tl.load(as_ptr + rm, mask=rm < M, other=0.0)[:, None]
    t = tl.load(bs_ptr + rn, mask=rn < N, other=0.0)[None, :]
    tl.store(
        c_ptr + rm[:, None] * c0 + rn[None, :] * c1,
        total.to(tl.float32) * s * t,
        mask=(rm[:, None] < M) & (rn[None, :] < N),
    )


def int8_matmul(
    a: torch.Tensor, b: torch.Tensor, a_scale: torch.Tensor, b_scale: torch.Tensor, a_zero: int
) -> torch.Tensor:
    M, K = a.shape
    _, N = b.shape
    c = torch.empty((M, N), dtype=torch.float32, device=a.device)
    if c.numel() == 0:
        return c
    cfg = {"BM": 32, "BN": 32, "BK": 64, "GROUP": 4}
    n_tiles = triton.cdiv(M, cfg["BM"]) * triton.cdiv(N, cfg["BN"])
    grouped_kernel[(n_tiles,)](
        a, *a.stride(), b, *b.stride(), c, *c.stride(), a_scale, b_scale, M, N, K, a_zero, **cfg
    )
    return c
