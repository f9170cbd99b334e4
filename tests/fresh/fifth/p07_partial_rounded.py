"""Every partial product is rounded to fp16 or bf16 before it is added."""
import torch
import triton
import triton.language as tl


@triton.jit
def tile_ptrs(base, r, c, sr, sc):
    return base + r[:, None] * sr + c[None, :] * sc


@triton.jit
def tile_mask(r, c, nr, nc):
    return (r[:, None] < nr) & (c[None, :] < nc)


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 32, "GROUP_M": 4}, num_warps=8, num_stages=3),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 128, "BLOCK_K": 64, "GROUP_M": 8}, num_warps=4, num_stages=3),
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
    sa0,
    sa1,
    sb0,
    sb1,
    sc0,
    sc1,
    ACTIVATION: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
):
    pid = tl.program_id(0)
    tm = tl.cdiv(M, BLOCK_M)
    tn = tl.cdiv(N, BLOCK_N)
    pid_m, pid_n = tl.swizzle2d(pid // tn, pid % tn, tm, tn, GROUP_M)
    rows = pid_m.to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = pid_n.to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, K, BLOCK_K):
        ks = k + tl.arange(0, BLOCK_K).to(tl.int64)
        a = tl.load(tile_ptrs(a_ptr, rows, ks, sa0, sa1), mask=tile_mask(rows, ks, M, K), other=0.0)
        b = tl.load(tile_ptrs(b_ptr, ks, cols, sb0, sb1), mask=tile_mask(ks, cols, K, N), other=0.0)
        part = tl.dot(a, b).to(c_ptr.dtype.element_ty)
        total += part
    if ACTIVATION == "leaky_relu":
        total = total * tl.where(total < 0, 0.01, 1.0)
    tl.store(tile_ptrs(c_ptr, rows, cols, sc0, sc1), total, mask=tile_mask(rows, cols, M, N))


def matmul(a: torch.Tensor, b: torch.Tensor, activation: str = "") -> torch.Tensor:
    (M, K), (_, N) = a.shape, b.shape
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    if c.numel():

        def grid(meta):
            return (triton.cdiv(M, meta["BLOCK_M"]) * triton.cdiv(N, meta["BLOCK_N"]),)

        matmul_kernel[grid](a, b, c, M, N, K, *a.stride(), *b.stride(), *c.stride(), ACTIVATION=activation)
    return c
