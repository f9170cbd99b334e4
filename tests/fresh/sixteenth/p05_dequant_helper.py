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
def load_tile(ptr, r, c, stride_r, stride_c, n_r, n_c):
    mask = (r[:, None] < n_r) & (c[None, :] < n_c)
    return tl.load(ptr + r[:, None] * stride_r + c[None, :] * stride_c, mask=mask, other=0)


@triton.jit
def dequantise(acc, sums, zero, s, t):
    value = acc.to(tl.float32) - (zero * sums[None, :]).to(tl.float32)
    return value * s[:, None] * t[None, :]


@triton.autotune(
    configs=[triton.Config({"BM": 32, "BN": 32, "BK": 128}, num_warps=4, num_stages=2)],
    key=["M", "N", "K"],
)
@triton.jit
def quantised_matmul(
    a_ptr,
    b_ptr,
    s_ptr,
    t_ptr,
    c_ptr,
    M,
    N,
    K,
    zero,
    a_r,
    a_c,
    b_r,
    b_c,
    c_r,
    c_c,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    m = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    n = tl.program_id(1).to(tl.int64) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.int32)
    sums = tl.zeros((BN,), tl.int32)
    for base in range(0, K, BK):
        k = base + tl.arange(0, BK).to(tl.int64)
        a = load_tile(a_ptr, m, k, a_r, a_c, M, K)
        b = load_tile(b_ptr, k, n, b_r, b_c, K, N)
        acc += tl.dot(a, b)
        sums += tl.sum(b.to(tl.int32), axis=0)
    s = tl.load(s_ptr + m, mask=m < M, other=0.0)
    t = tl.load(t_ptr + n, mask=n < N, other=0.0)
    c_mask = (m[:, None] < M) & (n[None, :] < N)
    tl.store(c_ptr + m[:, None] * c_r + n[None, :] * c_c, dequantise(acc, sums, zero, s, t), mask=c_mask)


def int8_matmul(
    a: torch.Tensor, b: torch.Tensor, a_scale: torch.Tensor, b_scale: torch.Tensor, a_zero: int
) -> torch.Tensor:
    (M, K), (_, N) = a.shape, b.shape
    c = torch.empty((M, N), dtype=torch.float32, device=a.device)
    if c.numel() == 0:
        return c
    quantised_matmul[lambda meta: (triton.cdiv(M, meta["BM"]), triton.cdiv(N, meta["BN"]))](
        a, b, a_scale, b_scale, c, M, N, K, a_zero, *a.stride(), *b.stride(), *c.stride()
    )
    return c
