import torch
import triton
import triton.language as tl


def reference(a: torch.Tensor, b: torch.Tensor, activation: str = "") -> torch.Tensor:
    """Return a @ b, after a leaky ReLU with slope 0.01 where `activation` is "leaky_relu".

    a: (M, K) float16 or bfloat16, any strides
    b: (K, N) same dtype, any strides
    returns: (M, N), dtype of a, computed in float32 and rounded once
    """
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
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    ACTIVATION: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
):
    """Triton has a function for the order in groups."""
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    pid = tl.program_id(0)
    pid_m, pid_n = tl.swizzle2d(pid // tiles_m, pid % tiles_m, tiles_m, tiles_n, GROUP_M)

    i = (pid_m.to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M))[:, None]
    j = (pid_n.to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N))[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k0 in range(0, K, BLOCK_K):
        k = k0 + tl.arange(0, BLOCK_K).to(tl.int64)
        a = tl.load(a_ptr + i * stride_am + k[None, :] * stride_ak, mask=(i < M) & (k[None, :] < K), other=0.0)
        b = tl.load(b_ptr + k[:, None] * stride_bk + j * stride_bn, mask=(k[:, None] < K) & (j < N), other=0.0)
        acc = tl.dot(a, b, acc)
    if ACTIVATION == "leaky_relu":
        acc = tl.where(acc >= 0, acc, acc * 0.01)
    tl.store(c_ptr + i * stride_cm + j * stride_cn, acc, mask=(i < M) & (j < N))


def matmul(a: torch.Tensor, b: torch.Tensor, activation: str = "") -> torch.Tensor:
    M, K = a.shape
    N = b.shape[1]
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    if c.numel() == 0:
        return c
    grid = lambda meta: (triton.cdiv(M, meta["BLOCK_M"]) * triton.cdiv(N, meta["BLOCK_N"]),)
    matmul_kernel[grid](a, b, c, M, N, K, *a.stride(), *b.stride(), *c.stride(), ACTIVATION=activation)
    return c
