"""Spreads programs over the eight parts of another GPU, each with its own cache: here they share little.

Code: too-many-dram-reads
"""

import torch
import triton
import triton.language as tl

NUM_XCDS = tl.constexpr(8)


@triton.jit
def remap_xcd(pid, GRID_MN):
    pids_per_xcd = tl.cdiv(GRID_MN, NUM_XCDS)
    tall_xcds = GRID_MN - (pids_per_xcd - 1) * NUM_XCDS
    xcd = pid % NUM_XCDS
    short = xcd - min(xcd, tall_xcds)
    return xcd * pids_per_xcd - short + pid // NUM_XCDS


@triton.jit
def pid_grid(pid, num_pid_m, num_pid_n, GROUP_SIZE_M: tl.constexpr):
    if GROUP_SIZE_M == 1:
        pid_m = pid // num_pid_n
        pid_n = pid % num_pid_n
    else:
        num_pid_in_group = GROUP_SIZE_M * num_pid_n
        group_id = pid // num_pid_in_group
        first_pid_m = group_id * GROUP_SIZE_M
        group_size_m = min(num_pid_m - first_pid_m, GROUP_SIZE_M)
        tl.assume(group_size_m >= 0)
        pid_m = first_pid_m + (pid % num_pid_in_group) % group_size_m
        pid_n = (pid % num_pid_in_group) // group_size_m
    return pid_m, pid_n


@triton.jit
def _gemm_a16_w16_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr, GROUP_SIZE_M: tl.constexpr,
    activation: tl.constexpr,
):  # fmt: skip
    tl.assume(stride_am >= 0)
    tl.assume(stride_bk >= 0)
    num_pid_m = tl.cdiv(M, BLOCK_SIZE_M)
    num_pid_n = tl.cdiv(N, BLOCK_SIZE_N)
    pid = remap_xcd(tl.program_id(axis=0), num_pid_m * num_pid_n)
    pid_m, pid_n = pid_grid(pid, num_pid_m, num_pid_n, GROUP_SIZE_M)
    offs_am = pid_m.to(tl.int64) * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    offs_bn = pid_n.to(tl.int64) * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    offs_k = tl.arange(0, BLOCK_SIZE_K).to(tl.int64)
    accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_SIZE_K)):
        kk = k * BLOCK_SIZE_K + offs_k
        a_ok = (offs_am[:, None] < M) & (kk[None, :] < K)
        b_ok = (kk[:, None] < K) & (offs_bn[None, :] < N)
        a = tl.load(a_ptr + offs_am[:, None] * stride_am + kk[None, :] * stride_ak, mask=a_ok, other=0.0)
        b = tl.load(b_ptr + kk[:, None] * stride_bk + offs_bn[None, :] * stride_bn, mask=b_ok, other=0.0)
        accumulator += tl.dot(a, b, input_precision="ieee")
    if activation == "leaky_relu":
        accumulator = tl.where(accumulator > 0, accumulator, 0.01 * accumulator)
    c_ptrs = c_ptr + stride_cm * offs_am[:, None] + stride_cn * offs_bn[None, :]
    c_mask = (offs_am[:, None] < M) & (offs_bn[None, :] < N)
    tl.store(c_ptrs, accumulator.to(c_ptr.type.element_ty), mask=c_mask)


def matmul(a, b, activation=""):
    M, K = a.shape
    K, N = b.shape
    y = torch.empty((M, N), dtype=a.dtype, device=a.device)
    if y.numel() == 0:
        return y
    grid = (triton.cdiv(M, 128) * triton.cdiv(N, 64),)
    _gemm_a16_w16_kernel[grid](
        a, b, y, M, N, K, *a.stride(), *b.stride(), *y.stride(),
        BLOCK_SIZE_M=128, BLOCK_SIZE_N=64, BLOCK_SIZE_K=64, GROUP_SIZE_M=4, activation=activation, num_warps=4,
    )  # fmt: skip
    return y
