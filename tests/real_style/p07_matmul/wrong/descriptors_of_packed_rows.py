"""Describes both matrices on the device by their shapes, as if their rows followed each other without gaps.

Code: out-of-bounds-load
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _grouped(pid, M, N, BM: tl.constexpr, BN: tl.constexpr, GROUP: tl.constexpr):
    tiles_m = tl.cdiv(M, BM)
    tiles_n = tl.cdiv(N, BN)
    group = pid // (GROUP * tiles_n)
    rows = min(tiles_m - group * GROUP, GROUP)
    inside = pid - group * GROUP * tiles_n
    return group * GROUP + inside % rows, inside // rows


@triton.jit
def _finish(acc, LEAKY: tl.constexpr):
    if LEAKY:
        return tl.where(acc > 0, acc, 0.01 * acc)
    else:
        return acc


@triton.jit
def gemm_tma(
    a_ptr, b_ptr, c_ptr, M, N, K, LEAKY: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
    GROUP: tl.constexpr,
):  # fmt: skip
    a_desc = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BM, BK])
    b_desc = tl.make_tensor_descriptor(b_ptr, shape=[K, N], strides=[N, 1], block_shape=[BK, BN])
    c_desc = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    pm, pn = _grouped(tl.program_id(0), M, N, BM, BN, GROUP)
    acc = tl.zeros([BM, BN], dtype=tl.float32)
    for k in tl.range(0, K, BK):
        acc = tl.dot(a_desc.load([pm * BM, k]), b_desc.load([k, pn * BN]), acc)
    c_desc.store([pm * BM, pn * BN], _finish(acc, LEAKY).to(c_desc.dtype))


@triton.jit
def gemm_ptr(
    a_ptr, b_ptr, c_ptr, M, N, K, sam: tl.int64, sak: tl.int64, sbk: tl.int64, sbn: tl.int64, scm: tl.int64,
    LEAKY: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    pm, pn = _grouped(tl.program_id(0), M, N, BM, BN, GROUP)
    m = pm * BM + tl.arange(0, BM)[:, None]
    n = pn * BN + tl.arange(0, BN)[None, :]
    acc = tl.zeros([BM, BN], dtype=tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        a = tl.load(a_ptr + m * sam + k[None, :] * sak, mask=(m < M) & (k[None, :] < K), other=0)
        b = tl.load(b_ptr + k[:, None] * sbk + n * sbn, mask=(k[:, None] < K) & (n < N), other=0)
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + m * scm + n, _finish(acc, LEAKY).to(c_ptr.dtype.element_ty), mask=(m < M) & (n < N))


def _tma_ok(*tensors):
    return all(t.stride(1) == 1 and t.shape[1] * t.element_size() % 16 == 0 and 0 not in t.shape for t in tensors)


def matmul(a, b, activation=""):
    M, K = a.shape
    N = b.shape[1]
    c = torch.empty(M, N, device=a.device, dtype=a.dtype)
    if M * N == 0:
        return c
    blocks = {"BM": 128, "BN": 64, "BK": 64}
    options = {"LEAKY": activation == "leaky_relu", "GROUP": 8, "num_warps": 4, "num_stages": 3}
    grid = (triton.cdiv(M, blocks["BM"]) * triton.cdiv(N, blocks["BN"]),)
    if _tma_ok(a, b, c):
        triton.set_allocator(lambda size, align, stream: torch.empty(size, dtype=torch.int8, device=c.device))
        gemm_tma[grid](a, b, c, M, N, K, **blocks, **options)
    else:
        gemm_ptr[grid](a, b, c, M, N, K, *a.stride(), *b.stride(), c.stride(0), **blocks, **options)
    return c
