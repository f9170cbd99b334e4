"""Matrix product that multiplies the transposes instead where both factors lie in memory by columns."""

import torch
import triton
import triton.language as tl


def reference(a: torch.Tensor, b: torch.Tensor, activation: str = "") -> torch.Tensor:
    """Return a @ b, after a leaky ReLU with slope 0.01 where `activation` is "leaky_relu"."""
    c = a.float() @ b.float()
    return (torch.nn.functional.leaky_relu(c, 0.01) if activation == "leaky_relu" else c).to(a.dtype)


@triton.jit
def load_tile(ptr, rows, cols, row_stride, col_stride, n_rows, n_cols):
    """Return a tile of a matrix, zeros outside."""
    ptrs = ptr + rows[:, None] * row_stride + cols[None, :] * col_stride
    return tl.load(ptrs, mask=(rows[:, None] < n_rows) & (cols[None, :] < n_cols), other=0.0)


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64, "GROUP_M": 8}, num_warps=8, num_stages=3),
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 64, "BLOCK_K": 32, "GROUP_M": 8}, num_warps=4, num_stages=4),
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
    pid = tl.program_id(0)
    tiles_m, tiles_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    group, within = pid // (GROUP_M * tiles_n), pid % (GROUP_M * tiles_n)
    height = min(tiles_m - group * GROUP_M, GROUP_M)
    rows = (group * GROUP_M + within % height) * BLOCK_M + tl.arange(0, BLOCK_M).to(tl.int64)
    cols = (within // height) * BLOCK_N + tl.arange(0, BLOCK_N).to(tl.int64)

    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        ks = start + tl.arange(0, BLOCK_K).to(tl.int64)
        a = load_tile(a_ptr, rows, ks, stride_am, stride_ak, M, K)
        b = load_tile(b_ptr, ks, cols, stride_bk, stride_bn, K, N)
        acc = tl.dot(a, b, acc)

    if ACTIVATION == "leaky_relu":
        acc = tl.where(acc > 0, acc, acc * 0.01)
    c_ptrs = c_ptr + rows[:, None] * stride_cm + cols[None, :] * stride_cn
    tl.store(c_ptrs, acc, mask=(rows[:, None] < M) & (cols[None, :] < N))


def matmul(a: torch.Tensor, b: torch.Tensor, activation: str = "") -> torch.Tensor:
    (M, K), (_, N) = a.shape, b.shape
    flip = a.stride(0) == 1 and b.stride(0) == 1
    left, right = (b.T, a.T) if flip else (a, b)
    out = torch.empty((left.shape[0], right.shape[1]), dtype=a.dtype, device=a.device)
    if out.numel() > 0:
        rows, cols = out.shape

        def grid(meta):
            return (triton.cdiv(rows, meta["BLOCK_M"]) * triton.cdiv(cols, meta["BLOCK_N"]),)

        strides = (*left.stride(), *right.stride(), *out.stride())
        matmul_kernel[grid](left, right, out, rows, cols, K, *strides, ACTIVATION=activation)
    return out.T if flip else out
