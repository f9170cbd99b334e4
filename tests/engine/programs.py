"""Kernels that are another program with other constants."""

import triton
import triton.language as tl

FACTOR = 2.0


@triton.jit
def copy(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, mask=mask), mask=mask)


@triton.jit
def moded(x_ptr, y_ptr, n, MODE: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    if MODE == "exp":
        x = tl.exp(x)
    if MODE == "global":
        x = x * FACTOR
    tl.store(y_ptr + offsets, x, mask=offsets < n)


@triton.jit
def unless_one(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    if n != 1:
        x = x * FACTOR
    tl.store(y_ptr + offsets, x, mask=offsets < n)


@triton.jit
def unrolled(x_ptr, y_ptr, n, TIMES: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    for _ in tl.static_range(TIMES):
        x = x * n
    tl.store(y_ptr + offsets, x, mask=offsets < n)


@triton.jit
def assembly(x_ptr, y_ptr, n, TEXT: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    x = tl.inline_asm_elementwise(TEXT, "=f,f", [x], tl.float32, True, 1)
    tl.store(y_ptr + offsets, x, mask=offsets < n)
