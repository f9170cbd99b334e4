"""Kernels with one classic memory mistake each, at the line marked `# here`; the last three have none."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def load_without_mask(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + o)  # here
    tl.store(y_ptr + o, x * 2, mask=o < n)


@triton.jit
def store_without_mask(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + o, mask=o < n, other=0.0)
    tl.store(y_ptr + o, x * 2)  # here


@triton.jit
def negative_offset(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + o - 1, mask=o < n, other=0.0)  # here
    tl.store(y_ptr + o, x, mask=o < n)


@triton.jit
def loop_past_the_end(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for i in range(0, n, BLOCK):
        acc += tl.load(x_ptr + i + tl.arange(0, BLOCK))  # here
    tl.store(y_ptr + tl.program_id(0), tl.sum(acc))


@triton.jit
def shifted_load(p, o, m):
    return tl.load(p + o + 1, mask=m)  # here: in a device function


@triton.jit
def helper_out_of_bounds(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + o, shifted_load(x_ptr, o, o < n), mask=o < n)


@triton.jit
def overlapping_programs(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    o = pid * (BLOCK // 2) + tl.arange(0, BLOCK)
    tl.store(y_ptr + o, tl.load(x_ptr + o, mask=o < n, other=0.0) + pid, mask=o < n)  # here


@triton.jit
def overlapping_same_value(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * (BLOCK // 2) + tl.arange(0, BLOCK)
    tl.store(y_ptr + o, tl.load(x_ptr + o, mask=o < n, other=0.0), mask=o < n)  # here


@triton.jit
def duplicate_addresses(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + o // 2, tl.load(x_ptr + o, mask=o < n, other=0.0), mask=o < n)  # here


@triton.jit
def missing_atomic(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    s = tl.sum(tl.load(x_ptr + o, mask=o < n, other=0.0))
    tl.store(y_ptr, tl.load(y_ptr) + s)  # here


@triton.jit
def neighbour(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + o, tl.load(x_ptr + o, mask=o < n, other=0.0), mask=o < n)
    shifted = tl.load(y_ptr + o + BLOCK, mask=o + BLOCK < n, other=0.0)  # here
    tl.store(x_ptr + o, shifted, mask=o < n)


@triton.jit
def reads_its_output(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    y = tl.load(y_ptr + o, mask=o < n, other=0.0)  # here
    tl.store(y_ptr + o, y + tl.load(x_ptr + o, mask=o < n, other=0.0), mask=o < n)


@triton.jit
def sum_without_other(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    used = tl.load(x_ptr + o, mask=o < n)  # here
    unused = tl.load(x_ptr + o, mask=o < n)
    tl.store(y_ptr + tl.program_id(0), tl.sum(used) + tl.sum(tl.where(o < n, unused, 0.0)))


@triton.jit
def loop_bound_without_other(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    count = tl.load(x_ptr + n + pid, mask=pid > 100)  # here
    s = 0.0
    for i in range(count.to(tl.int32)):
        s += 1.0 + i * 0
    tl.store(y_ptr + pid, s)


@triton.jit
def wrapping_offset(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)  # here: a factor of several products
    o = pid * 1_000_000_000 + tl.arange(0, BLOCK)  # program 3 wraps; 1 and 2 do not
    x = tl.load(x_ptr + o, mask=pid != 2, other=0.0)
    tl.store(y_ptr + pid * BLOCK + tl.arange(0, BLOCK), x, mask=pid * BLOCK + tl.arange(0, BLOCK) < n)


@triton.jit
def atomic_outside(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(y_ptr + o, tl.load(x_ptr + o, mask=o < n, other=0.0))  # here


@triton.jit
def address_from_nowhere(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load((o * 0 + 16).to(tl.int64).to(tl.pointer_type(tl.float32)))  # here
    tl.store(y_ptr + o, x, mask=o < n)


@triton.jit
def row_without_mask(x_ptr, y_ptr, stride, n_cols, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + cols)  # here
    tl.store(y_ptr + row * n_cols + cols, x, mask=cols < n_cols)


@triton.jit
def atomic_sum(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(y_ptr, tl.sum(tl.load(x_ptr + o, mask=o < n, other=0.0)))


@triton.jit
def in_place(x_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + o, tl.load(x_ptr + o, mask=o < n, other=0.0) * 2, mask=o < n)


@triton.jit
def skips_the_last(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + o, tl.load(x_ptr + o, mask=o < n, other=0.0), mask=o < n - 1)
