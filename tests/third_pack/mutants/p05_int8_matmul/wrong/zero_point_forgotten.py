"""Never subtracts the zero point.

Mistake at: total += tl.dot(a.to(tl.float32), b.to(tl.float32))
Code: wrong-values
"""

import torch
import triton
import triton.language as tl


@triton.jit
def quantised_matmul(
    A, B, SA, SB, C, M, N, K, zero, sam, sak, sbk, sbn, scm, scn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    pid = tl.program_id(0)
    tiles_n = tl.cdiv(N, BN)
    pid_m = pid // tiles_n
    pid_n = pid % tiles_n
    rm = pid_m * BM + tl.arange(0, BM)
    rn = pid_n * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), tl.float32)
    for k0 in range(0, K, BK):
        rk = k0 + tl.arange(0, BK)
        a = tl.load(A + rm[:, None] * sam + rk[None, :] * sak, mask=(rm[:, None] < M) & (rk[None, :] < K), other=zero)
        b = tl.load(B + rk[:, None] * sbk + rn[None, :] * sbn, mask=(rk[:, None] < K) & (rn[None, :] < N), other=0)
        total += tl.dot(a.to(tl.float32), b.to(tl.float32))
    sa = tl.load(SA + rm, mask=rm < M, other=0.0)
    sb = tl.load(SB + rn, mask=rn < N, other=0.0)
    total = total * sa[:, None] * sb[None, :]
    tl.store(C + rm[:, None] * scm + rn[None, :] * scn, total, mask=(rm[:, None] < M) & (rn[None, :] < N))


def int8_matmul(a, b, a_scale, b_scale, a_zero):
    M, K = a.shape
    N = b.shape[1]
    c = torch.empty((M, N), dtype=torch.float32, device=a.device)
    if c.numel() == 0:
        return c
    BM, BN, BK = 32, 32, 32
    grid = (triton.cdiv(M, BM) * triton.cdiv(N, BN),)
    quantised_matmul[grid](
        a,
        b,
        a_scale,
        b_scale,
        c,
        M,
        N,
        K,
        a_zero,
        a.stride(0),
        a.stride(1),
        b.stride(0),
        b.stride(1),
        c.stride(0),
        c.stride(1),
        BM=BM,
        BN=BN,
        BK=BK,
    )
    return c
