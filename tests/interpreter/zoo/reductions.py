"""Reductions, scans, sorting, histograms."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from .case import Case, integers, randn, zeros


@triton.jit
def farther_from_zero(a, b):
    return tl.where(tl.abs(a) >= tl.abs(b), a, b)


@triton.jit
def by_branch(a, b):
    return a if a > b else b


@triton.jit
def recurrence(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def moments(sum1, squares1, count1, sum2, squares2, count2):
    return sum1 + sum2, squares1 + squares2, count1 + count2


@triton.jit
def along_axes(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    pid, i, j = tl.program_id(0), tl.arange(0, M), tl.arange(0, N)
    x = tl.load(x_ptr + pid * M * N + i[:, None] * N + j[None, :])
    rows = tl.sum(x, axis=1) + tl.max(x, axis=1) - tl.min(x, axis=-1)
    cols = tl.sum(x, axis=0, keep_dims=True) * tl.max(x, axis=0, keep_dims=True)
    y = rows[:, None] + cols + tl.sum(x) + tl.max(x) * tl.min(x) + x.sum(axis=0)[None, :]
    tl.store(y_ptr + pid * M * N + i[:, None] * N + j[None, :], y)


@triton.jit
def arguments_of_extrema(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    pid, cols = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + pid * n + cols, mask=cols < n, other=-1e30)
    largest, where = tl.max(x, axis=0, return_indices=True)
    tl.store(y_ptr + pid, largest)
    tl.store(z_ptr + pid, where + tl.argmin(x, axis=0) * 100 + tl.argmax(x, axis=0, tie_break_left=False))


@triton.jit
def scans(x_ptr, y_ptr, B: tl.constexpr):
    pid, a = tl.program_id(0), tl.arange(0, B)
    x = tl.load(x_ptr + pid * B + a)
    y = tl.cumsum(x, 0) + tl.associative_scan(x, 0, farther_from_zero, reverse=True) + tl.cumprod(x * 0.01 + 1, 0)
    tl.store(y_ptr + pid * B + a, y + tl.reduce(x, 0, farther_from_zero) + tl.cumsum(x, 0, reverse=True))


@triton.jit
def tuple_scan(a_ptr, b_ptr, y_ptr, B: tl.constexpr):
    pid, i = tl.program_id(0), tl.arange(0, B)
    a, b = tl.load(a_ptr + pid * B + i), tl.load(b_ptr + pid * B + i)
    a, b = tl.associative_scan((a, b), 0, recurrence)
    tl.store(y_ptr + pid * B + i, a + b)


@triton.jit
def tuple_reduce(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    pid, i, j = tl.program_id(0), tl.arange(0, M), tl.arange(0, N)
    x = tl.load(x_ptr + pid * M * N + i[:, None] * N + j[None, :])
    total, squares, count = tl.reduce((x, x * x, tl.zeros_like(x) + 1.0), 1, moments)
    tl.store(y_ptr + pid * M + i, total + squares / count)


@triton.jit
def branching_reduce(x_ptr, y_ptr, B: tl.constexpr):
    pid, a = tl.program_id(0), tl.arange(0, B)
    tl.store(y_ptr + pid, tl.reduce(tl.load(x_ptr + pid * B + a), 0, by_branch))


@triton.jit
def scan_columns(x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr):
    pid, i, j = tl.program_id(0), tl.arange(0, M), tl.arange(0, N)
    x = tl.load(x_ptr + pid * M * N + i[:, None] * N + j[None, :])
    y = tl.cumsum(x, axis=0) + tl.associative_scan(x, 1, farther_from_zero)
    tl.store(y_ptr + pid * M * N + i[:, None] * N + j[None, :], y)


@triton.jit
def sorted_rows(x_ptr, y_ptr, B: tl.constexpr):
    pid, a = tl.program_id(0), tl.arange(0, B)
    x = tl.load(x_ptr + pid * B + a)
    tl.store(y_ptr + pid * B + a, tl.sort(x) - tl.sort(x, descending=True))


@triton.jit
def histogram(x_ptr, y_ptr, n, BLOCK: tl.constexpr, BINS: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0)
    tl.store(y_ptr + pid * BINS + tl.arange(0, BINS), tl.histogram(x, BINS))


@triton.jit
def integer_reductions(x_ptr, y_ptr, B: tl.constexpr):
    pid, a = tl.program_id(0), tl.arange(0, B)
    x = tl.load(x_ptr + pid * B + a)
    tl.store(y_ptr + pid * 4, tl.sum(x))
    tl.store(y_ptr + pid * 4 + 1, tl.max(x, axis=0))
    tl.store(y_ptr + pid * 4 + 2, tl.xor_sum(x, axis=0))
    tl.store(y_ptr + pid * 4 + 3, tl.argmax(x, axis=0))


@triton.jit
def with_nan(x_ptr, y_ptr, B: tl.constexpr):
    pid, a = tl.program_id(0), tl.arange(0, B)
    x = tl.load(x_ptr + pid * B + a)
    tl.store(y_ptr + pid * 2, tl.max(x, axis=0))
    tl.store(y_ptr + pid * 2 + 1, tl.sum(x, axis=0))


def whole(*shape: int) -> torch.Tensor:
    """Return numbers that add and multiply without rounding: here the order does not matter."""
    return integers(-1, 2, *shape).to(torch.float32)


def _some_nan() -> tuple:
    x = randn(5, 16)
    x[1, 3] = x[2, 0] = float("nan")
    return x, zeros(10), 16


CASES = [
    Case("along_axes", along_axes, (5,), lambda: (whole(5, 16, 32), zeros(5, 16, 32), 16, 32)),
    Case("along_axes_wide", along_axes, (3,), lambda: (randn(3, 2, 1024), zeros(3, 2, 1024), 2, 1024)),
    Case("along_axes_fp16", along_axes, (3,), lambda: (whole(3, 8, 16).half(), zeros(3, 8, 16), 8, 16)),
    Case(
        "arguments_of_extrema",
        arguments_of_extrema,
        (9,),
        lambda: (randn(9, 50), zeros(9), zeros(9, dtype=torch.int32), 50, 64),
    ),
    Case("scans", scans, (9,), lambda: (randn(144), zeros(144), 16)),
    Case("tuple_scan", tuple_scan, (4,), lambda: (whole(64), whole(64), zeros(64), 16)),
    Case("tuple_reduce", tuple_reduce, (3,), lambda: (whole(3, 4, 16), zeros(12), 4, 16)),
    Case("branching_reduce", branching_reduce, (9,), lambda: (randn(144), zeros(9), 16)),
    Case("scan_columns", scan_columns, (3,), lambda: (randn(3, 4, 16), zeros(3, 4, 16), 4, 16)),
    Case("sorted_rows", sorted_rows, (5,), lambda: (randn(80), zeros(80), 16)),
    Case("histogram", histogram, (9,), lambda: (integers(0, 8, 130), zeros(72, dtype=torch.int32), 130, 16, 8)),
    Case(
        "integer_reductions",
        integer_reductions,
        (5,),
        lambda: (integers(-99, 99, 80), zeros(20, dtype=torch.int32), 16),
    ),
    Case(
        "integer_reductions_int8",
        integer_reductions,
        (5,),
        lambda: (integers(-99, 99, 80, dtype=torch.int8), zeros(20, dtype=torch.int32), 16),
    ),
    Case("with_nan", with_nan, (5,), _some_nan),
]
