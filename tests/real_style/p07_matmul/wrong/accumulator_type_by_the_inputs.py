"""Lets the type of the inputs decide that of the sums, as a flag for faster products has it.

Code: low-precision
Mistake at: acc += tl.dot
"""

import torch
import triton
import triton.language as tl


@triton.jit
def triton_tem_fused_leaky_relu_mm_0(
    arg_A, arg_B, out_ptr0, ks0, ks1, ks2, ks3, ks4, ks5, ks6,
    EPILOGUE: tl.constexpr, EVEN_K: tl.constexpr, ALLOW_TF32: tl.constexpr, ACC_TYPE: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
):  # fmt: skip
    INDEX_DTYPE: tl.constexpr = tl.int64
    A = arg_A
    B = arg_B
    M = ks0
    N = ks1
    K = ks2
    if M * N == 0:
        return
    pid = tl.program_id(0).to(INDEX_DTYPE)
    grid_m = (M + BLOCK_M - 1) // BLOCK_M
    grid_n = (N + BLOCK_N - 1) // BLOCK_N
    width = GROUP_M * grid_n
    group_id = pid // width
    group_size = min(grid_m - group_id * GROUP_M, GROUP_M)
    pid_m = group_id * GROUP_M + (pid % group_size)
    pid_n = (pid % width) // (group_size)
    tl.assume(pid_m >= 0)
    tl.assume(pid_n >= 0)
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M).to(INDEX_DTYPE)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N).to(INDEX_DTYPE)
    offs_a_m = rm % M
    offs_b_n = rn % N
    offs_k = tl.arange(0, BLOCK_K).to(INDEX_DTYPE)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=ACC_TYPE)
    for k_idx in range(0, tl.cdiv(K, BLOCK_K)):
        if not EVEN_K:
            a_mask = offs_k[None, :] < (K - k_idx * BLOCK_K)
            b_mask = offs_k[:, None] < (K - k_idx * BLOCK_K)
        a_k_idx_vals = offs_k[None, :] + (k_idx * BLOCK_K)
        b_k_idx_vals = offs_k[:, None] + (k_idx * BLOCK_K)
        idx_m = offs_a_m[:, None]
        idx_n = offs_b_n[None, :]
        if EVEN_K:
            a = tl.load(A + (ks4 * a_k_idx_vals + ks3 * idx_m))
            b = tl.load(B + (ks6 * idx_n + ks5 * b_k_idx_vals))
        else:
            a = tl.load(A + (ks4 * a_k_idx_vals + ks3 * idx_m), mask=a_mask, other=0.0)
            b = tl.load(B + (ks6 * idx_n + ks5 * b_k_idx_vals), mask=b_mask, other=0.0)
        acc += tl.dot(a, b, allow_tf32=ALLOW_TF32, out_dtype=ACC_TYPE)
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M).to(INDEX_DTYPE)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N).to(INDEX_DTYPE)
    idx_m = rm[:, None]
    idx_n = rn[None, :]
    mask = (idx_m < M) & (idx_n < N)
    xindex = idx_n + N * idx_m
    tmp0 = acc
    if EPILOGUE == 1:
        tmp1 = 0.0
        tmp2 = tmp0 > tmp1
        tmp3 = 0.01
        tmp4 = tmp0 * tmp3
        tmp0 = tl.where(tmp2, tmp0, tmp4)
    tl.store(out_ptr0 + (tl.broadcast_to(xindex, [BLOCK_M, BLOCK_N])), tmp0, mask)


def call(args, epilogue):
    arg0_1, arg1_1 = args
    s0, s1 = arg0_1.size()
    s2 = arg1_1.size(1)
    buf0 = torch.empty_strided((s0, s2), (s2, 1), device=arg0_1.device, dtype=arg0_1.dtype)
    if s0 * s2 == 0:
        return buf0
    meta = {"BLOCK_M": 64, "BLOCK_N": 128, "BLOCK_K": 32, "GROUP_M": 8}
    grid_0 = (triton.cdiv(s0, meta["BLOCK_M"]) * triton.cdiv(s2, meta["BLOCK_N"]), 1, 1)
    triton_tem_fused_leaky_relu_mm_0[grid_0](
        arg0_1, arg1_1, buf0, s0, s2, s1, *arg0_1.stride(), *arg1_1.stride(), EPILOGUE=epilogue,
        EVEN_K=s1 % meta["BLOCK_K"] == 0, ALLOW_TF32=False,
        ACC_TYPE=tl.float16 if arg0_1.dtype == torch.float16 else tl.float32, num_stages=4, num_warps=4, **meta,
    )  # fmt: skip
    return buf0


def matmul(a, b, activation=""):
    return call([a, b], 1 if activation == "leaky_relu" else 0)
