"""Element-wise arithmetic in every type."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from .case import Case, integers, randn, zeros

N, B, G = 130, 32, (5,)


@triton.jit
def add(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(z_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask), mask=mask)


@triton.jit
def float_math(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=1.0)
    a = tl.abs(x) + 0.5
    y = tl.exp(-a) + tl.exp2(x) + tl.log(a) + tl.log2(a) + tl.sqrt(a) + tl.rsqrt(a) + tl.sin(x) * tl.cos(x)
    y = y + tl.floor(x) - tl.ceil(x * 3) + tl.erf(x) + tl.fma(x, a, 0.25) + tl.sigmoid(x)
    tl.store(y_ptr + offsets, y / a - (-x) + tl.clamp(x, -0.5, 0.5), mask=offsets < n)


@triton.jit
def integer_math(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=3)
    y = tl.load(y_ptr + offsets, mask=mask, other=2)
    z = (x // y) * 3 + x % y + (x << 2) - (x >> 1) + (x & y) + (x | y) - (x ^ y) + (~x) + tl.abs(x - y)
    tl.store(z_ptr + offsets, z + tl.minimum(x, y) * tl.maximum(x, y) + tl.cdiv(x, y), mask=mask)


@triton.jit
def unsigned_math(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=3).to(tl.uint32, bitcast=True)
    y = tl.load(y_ptr + offsets, mask=offsets < n, other=2).to(tl.uint32, bitcast=True)
    z = tl.umulhi(x, y) ^ (x * y) ^ (x >> 3) ^ (x // (y | 1)) ^ (x % (y | 1))
    tl.store(z_ptr + offsets, z.to(tl.int32, bitcast=True), mask=offsets < n)


@triton.jit
def casts(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0) * 40
    y = x.to(tl.float16).to(tl.float32) + x.to(tl.int32).to(tl.float32) + x.to(tl.int8).to(tl.float32)
    y += x.to(tl.float64).to(tl.float32) + (x > 0).to(tl.float32) + x.to(tl.int64).to(tl.float32)
    tl.store(y_ptr + offsets, y + tl.cast(x.to(tl.int32, bitcast=True) >> 20, tl.float32), mask=offsets < n)


@triton.jit
def where_nan(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    y = tl.where(x < 0, float("nan"), x)
    least = tl.minimum(y, 0.5, propagate_nan=tl.PropagateNan.ALL) + tl.where(y == y, 0.0, y)
    tl.store(y_ptr + offsets, y, mask=offsets < n)
    tl.store(z_ptr + offsets, least, mask=offsets < n)


@triton.jit
def booleans(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0)
    y = tl.load(y_ptr + offsets, mask=offsets < n, other=0)
    tl.store(z_ptr + offsets, (x & ~y) | (x ^ y), mask=offsets < n)


@triton.jit
def random_numbers(y_ptr, seed, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + offsets, tl.rand(seed, offsets) + tl.randn(seed, offsets))


@triton.jit
def scale_and_offset(x_ptr, y_ptr, scale, flag, big, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    if flag:
        x = x * scale + big % 7
    tl.store(y_ptr + offsets, x, mask=offsets < n)


def _binary(kind: torch.dtype) -> Case:
    def make() -> tuple:
        draw = (lambda: randn(N, dtype=kind)) if kind.is_floating_point else (lambda: integers(-99, 99, N, dtype=kind))
        return draw(), draw(), zeros(N, dtype=kind), N, B

    return Case(f"add_{str(kind)[6:]}", add, G, make)


_ADDED = (torch.float16, torch.float32, torch.float64, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8)
CASES = [
    *(_binary(kind) for kind in _ADDED),
    Case("float_math", float_math, G, lambda: (randn(N), zeros(N), N, B)),
    Case(
        "float_math_fp64", float_math, G, lambda: (randn(N, dtype=torch.float64), zeros(N, dtype=torch.float64), N, B)
    ),
    *(
        Case(f"integer_math_{str(kind)[6:]}", integer_math, G, lambda kind=kind: _integers(kind))
        for kind in (torch.int32, torch.int64, torch.int16)
    ),
    Case("unsigned_math", unsigned_math, G, lambda: _integers(torch.int32, -(2**31), 2**31)),
    Case("casts", casts, G, lambda: (randn(N), zeros(N), N, B)),
    Case("where_nan", where_nan, G, lambda: (randn(N), zeros(N), zeros(N), N, B)),
    Case("booleans", booleans, G, lambda: (randn(N) > 0, randn(N) > 0, zeros(N, dtype=torch.bool), N, B)),
    Case("random_numbers", random_numbers, (5,), lambda: (zeros(5 * 16), 42, 16)),
    Case("scalar_arguments", scale_and_offset, G, lambda: (randn(N), zeros(N), 1.7, True, 2**40 + 5, N, B)),
]


def _integers(kind: torch.dtype, low: int = -99, high: int = 99) -> tuple:
    y = integers(low, high, N, dtype=kind)
    return integers(low, high, N, dtype=kind), torch.where(y == 0, torch.ones_like(y), y), zeros(N, dtype=kind), N, B
