"""Typo in the name, the activation is never applied: if ACTIVATION == 'leakyrelu'"""
import torch
import triton
import triton.language as tl


def reference(a: torch.Tensor, b: torch.Tensor, activation: str = "") -> torch.Tensor:
    c = a.float() @ b.float()
    return (torch.nn.functional.leaky_relu(c, 0.01) if activation == "leaky_relu" else c).to(a.dtype)


@triton.jit
def which_tile(pid, rows_of_tiles, cols_of_tiles, GROUP_M: tl.constexpr):
    per_group = GROUP_M * cols_of_tiles
    g = pid // per_group
    rest = pid - g * per_group
    high = tl.minimum(rows_of_tiles - g * GROUP_M, GROUP_M)
    return g * GROUP_M + rest % high, rest // high


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64, "GROUP_M": 8}, num_warps=8, num_stages=3),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 128, "BLOCK_K": 32, "GROUP_M": 8}, num_warps=4, num_stages=4),
    ],
    key=["M", "N", "K"],
)
@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr,
    M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    ACTIVATION: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
):
    tm, tn = which_tile(tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), GROUP_M)
    im = tm.to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    jn = tn.to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    row_ok = im[:, None] < M
    col_ok = jn[None, :] < N

    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    k0 = 0
    while k0 < K:
        kk = k0 + tl.arange(0, BLOCK_K).to(tl.int64)
        left = tl.load(
            a_ptr + im[:, None] * stride_am + kk[None, :] * stride_ak,
            mask=row_ok & (kk[None, :] < K),
            other=0.0,
        )
        right = tl.load(
            b_ptr + kk[:, None] * stride_bk + jn[None, :] * stride_bn,
            mask=(kk[:, None] < K) & col_ok,
            other=0.0,
        )
        total += tl.dot(left, right)
        k0 += BLOCK_K

    if ACTIVATION == "leakyrelu":
        total = tl.maximum(total, 0.01 * total)
    tl.store(c_ptr + im[:, None] * stride_cm + jn[None, :] * stride_cn, total, mask=row_ok & col_ok)


def matmul(a: torch.Tensor, b: torch.Tensor, activation: str = "") -> torch.Tensor:
    M, K = a.shape
    _, N = b.shape
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    if c.numel() == 0:
        return c
    grid = lambda meta: (triton.cdiv(M, meta["BLOCK_M"]) * triton.cdiv(N, meta["BLOCK_N"]),)
    matmul_kernel[grid](
        a, b, c, M, N, K,
        a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0), c.stride(1),
        ACTIVATION=activation,
    )
    return c
