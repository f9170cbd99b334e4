"""Matrix products and attention; float32 asks for IEEE precision, which the plain interpreter always computes."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from .case import Case, integers, randn, zeros


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(tl.cdiv(K, BK)):
        kk = k * BK + tl.arange(0, BK)
        a = tl.load(a_ptr + i[:, None] * K + kk[None, :], mask=(i[:, None] < M) & (kk[None, :] < K), other=0.0)
        b = tl.load(b_ptr + kk[:, None] * N + j[None, :], mask=(kk[:, None] < K) & (j[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc, input_precision="ieee")
    mask = (i[:, None] < M) & (j[None, :] < N)
    tl.store(c_ptr + i[:, None] * N + j[None, :], acc.to(c_ptr.dtype.element_ty), mask=mask)


@triton.jit
def small_product(a_ptr, b_ptr, c_ptr, B: tl.constexpr, KIND: tl.constexpr):
    pid, i = tl.program_id(0), tl.arange(0, B)
    tile = i[:, None] * B + i[None, :]
    a, b = tl.load(a_ptr + pid * B * B + tile), tl.load(b_ptr + tile)
    tl.store(c_ptr + pid * B * B + tile, tl.dot(a, tl.trans(b), input_precision="ieee", out_dtype=KIND))


@triton.jit
def batched_product(a_ptr, b_ptr, c_ptr, G: tl.constexpr, B: tl.constexpr):
    pid, g, i = tl.program_id(0), tl.arange(0, G), tl.arange(0, B)
    tile = (pid * G + g[:, None, None]) * B * B + i[None, :, None] * B + i[None, None, :]
    tl.store(c_ptr + tile, tl.dot(tl.load(a_ptr + tile), tl.load(b_ptr + tile), input_precision="ieee"))


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, o_ptr, n, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    head, pid_m = tl.program_id(1), tl.program_id(0)
    i, d = pid_m * BM + tl.arange(0, BM), tl.arange(0, D)
    base = head * n * D
    q = tl.load(q_ptr + base + i[:, None] * D + d[None, :], mask=i[:, None] < n, other=0.0)
    m = tl.full((BM,), float("-inf"), dtype=tl.float32)
    l = tl.zeros((BM,), dtype=tl.float32)
    acc = tl.zeros((BM, D), dtype=tl.float32)
    hi = n
    if CAUSAL:
        hi = tl.minimum(n, (pid_m + 1) * BM)
    for start in range(0, hi, BN):
        j = start + tl.arange(0, BN)
        k = tl.load(k_ptr + base + j[:, None] * D + d[None, :], mask=j[:, None] < n, other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * 0.25
        s = tl.where(j[None, :] < n, s, float("-inf"))
        if CAUSAL:  # noqa: SIM102
            if start + BN > pid_m * BM:
                s = tl.where(i[:, None] >= j[None, :], s, float("-inf"))
        m_new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp(s - m_new[:, None])
        alpha = tl.exp(m - m_new)
        l = l * alpha + tl.sum(p, 1)
        v = tl.load(v_ptr + base + j[:, None] * D + d[None, :], mask=j[:, None] < n, other=0.0)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v, input_precision="ieee")
        m = m_new
    tl.store(o_ptr + base + i[:, None] * D + d[None, :], acc / l[:, None], mask=i[:, None] < n)


def _attention(causal: bool, kind: torch.dtype = torch.float32) -> tuple:
    q, k, v = (randn(2, 70, 16, dtype=kind) for _ in range(3))
    return q, k, v, zeros(2, 70, 16), 70, 16, 16, 16, causal


def _matmul(kind: torch.dtype) -> tuple:
    return randn(70, 50, dtype=kind), randn(50, 40, dtype=kind), zeros(70, 40, dtype=kind), 70, 40, 50, 32, 32, 16


def _small(kind: torch.dtype, out: torch.dtype, out_type: tl.dtype) -> tuple:
    draw = randn if kind.is_floating_point else lambda *shape, dtype: integers(-99, 99, *shape, dtype=dtype)
    return draw(3, 16, 16, dtype=kind), draw(16, 16, dtype=kind), zeros(3, 16, 16, dtype=out), 16, out_type


CASES = [
    Case("matmul", matmul, (3, 2), lambda: _matmul(torch.float32)),
    Case("matmul_fp16", matmul, (3, 2), lambda: _matmul(torch.float16)),
    Case("product_fp64", small_product, (3,), lambda: _small(torch.float64, torch.float64, tl.float64)),
    Case("product_int8", small_product, (3,), lambda: _small(torch.int8, torch.int32, tl.int32)),
    Case("product_fp32", small_product, (3,), lambda: _small(torch.float32, torch.float32, tl.float32)),
    Case(
        "batched_product", batched_product, (2,), lambda: (*(randn(8, 16, 16) for _ in "ab"), zeros(8, 16, 16), 4, 16)
    ),
    Case("attention", attention, (5, 2), lambda: _attention(False)),
    Case("causal_attention", attention, (5, 2), lambda: _attention(True)),
    Case("causal_attention_fp16", attention, (5, 2), lambda: _attention(True, torch.float16)),
]
