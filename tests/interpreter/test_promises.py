"""What a kernel promises to the compiler has to hold: a GPU may do anything where it does not."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
import torch
import triton
import triton.language as tl

from tritonpuzzles.engine.interpreter import KernelError, Tracer


@triton.jit
def copy_rows(x_ptr, y_ptr, x_row_stride, n_cols, BLOCK: tl.constexpr, STEP: tl.constexpr):
    stride = tl.multiple_of(x_row_stride, STEP)
    for start in range(0, n_cols, BLOCK):
        start = tl.multiple_of(start, BLOCK)
        cols = tl.max_contiguous(tl.multiple_of(start + tl.arange(0, BLOCK), BLOCK), BLOCK)
        x = tl.load(x_ptr + tl.program_id(0) * stride + cols, mask=cols < n_cols)
        tl.store(y_ptr + tl.program_id(0) * n_cols + cols, x, mask=cols < n_cols)


def copied(stride: int, step: int) -> bool:
    x, y = torch.arange(3.0 * stride).reshape(3, stride)[:, :20], torch.zeros(3, 20)
    with Tracer():
        copy_rows[(3,)](x, y, stride, 20, BLOCK=8, STEP=step)
    return torch.equal(x, y)


@pytest.mark.parametrize(("stride", "step"), [(32, 16), (32, 32), (23, 1)])
def test_a_stride_that_is_what_it_is_promised_to_be(stride: int, step: int) -> None:
    assert copied(stride, step)


@triton.jit
def copy_in_fours(x_ptr, y_ptr, n, BLOCK: tl.constexpr, EQUAL: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    mask = tl.max_constancy(offsets < n, EQUAL)
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, mask=mask), mask=mask)


@pytest.mark.parametrize(("n", "equal", "holds"), [(12, 4, True), (12, [4], True), (10, 2, True), (10, 4, False)])
def test_a_mask_that_is_promised_to_be_equal_in_some_lanes(n: int, equal: int | list[int], holds: bool) -> None:
    x, y = torch.arange(float(n)), torch.zeros(n)
    promised = contextlib.nullcontext() if holds else pytest.raises(KernelError, match="promises 4 equal elements")
    with promised, Tracer():
        copy_in_fours[(1,)](x, y, n, BLOCK=16, EQUAL=equal)
    assert torch.equal(x, y) == holds


@triton.jit
def copy_reordered(x_ptr, y_ptr, n, BLOCK: tl.constexpr, LENGTH: tl.constexpr, TURNED: tl.constexpr):
    offsets = tl.arange(0, BLOCK) ^ TURNED
    offsets = tl.max_contiguous(offsets % n, LENGTH)
    tl.store(y_ptr + tl.arange(0, BLOCK), tl.load(x_ptr + offsets))


@pytest.mark.parametrize(
    ("n", "length", "turned", "holds"),
    [(16, 16, 0, True), (10, 16, 0, True), (16, [4], 4, True), (16, 4, 1, False), (16, 8, 4, False)],
)
def test_numbers_that_are_promised_to_follow_each_other(n: int, length: Any, turned: int, holds: bool) -> None:
    x, y = torch.arange(float(n)), torch.zeros(16)
    promised = contextlib.nullcontext() if holds else pytest.raises(KernelError, match="numbers that follow each other")
    with promised, Tracer():
        copy_reordered[(1,)](x, y, n, BLOCK=16, LENGTH=length, TURNED=turned)
    assert bool(y.any()) == holds


def test_a_stride_that_is_not() -> None:
    with pytest.raises(KernelError, match=r"^tl\.multiple_of promises a multiple of 16, and 23 is none") as stopped:
        copied(23, 16)
    assert stopped.value.code == "promise-broken"


@triton.jit
def copy_promised(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(tl.multiple_of(x_ptr, 16) + offsets, mask=offsets < n)
    tl.store(y_ptr + offsets, x, mask=offsets < n)


@pytest.mark.parametrize(("skipped", "holds"), [(0, True), (4, True), (1, False)])
def test_an_address_that_is_promised_to_be_a_multiple(skipped: int, holds: bool) -> None:
    x, y = torch.arange(64.0)[skipped:], torch.zeros(64 - skipped)
    promised = contextlib.nullcontext() if holds else pytest.raises(KernelError, match="16, and the address is none")
    with promised, Tracer():
        copy_promised[(1,)](x, y, x.numel(), BLOCK=64)
    assert torch.equal(x, y) == holds


@triton.jit
def copy_promised_blocks(x_ptr, y_ptr, stride, n_cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    rows, cols = tl.arange(0, ROWS)[:, None], tl.arange(0, COLS)[None, :]
    mask = cols < n_cols
    x = tl.load(tl.multiple_of(x_ptr + rows * stride + cols, [4, 16]), mask=mask)
    tl.store(y_ptr + tl.multiple_of(rows * n_cols, [1, 4]) + cols, x, mask=mask)


@pytest.mark.parametrize(
    ("stride", "n_cols", "broken"), [(8, 8, ""), (8, 7, "4, and 7 is none"), (7, 4, "16, and the address is none")]
)
def test_a_block_is_promised_by_its_first_elements(stride: int, n_cols: int, broken: str) -> None:
    x = torch.arange(4.0 * stride).reshape(4, stride)[:, :n_cols]
    y = torch.zeros(4, n_cols)
    promised = pytest.raises(KernelError, match=broken) if broken else contextlib.nullcontext()
    with promised, Tracer():
        copy_promised_blocks[(1,)](x, y, stride, n_cols, ROWS=4, COLS=8)
    assert torch.equal(x, y) == (not broken)


@triton.jit
def copy_promised_rows(x_ptr, y_ptr, stride, ROWS: tl.constexpr, COLS: tl.constexpr):
    rows, cols = tl.arange(0, ROWS), tl.arange(0, COLS)[None, :]
    starts = tl.multiple_of(rows * stride, 8)[:, None]
    tl.store(y_ptr + rows[:, None] * COLS + cols, tl.load(x_ptr + starts + cols))


@pytest.mark.parametrize(("stride", "broken"), [(8, ""), (9, "8, and 9 is none")])
def test_each_number_that_does_not_follow_the_one_before_is_promised(stride: int, broken: str) -> None:
    x = torch.arange(4.0 * stride).reshape(4, stride)[:, :8]
    y = torch.zeros(4, 8)
    promised = pytest.raises(KernelError, match=broken) if broken else contextlib.nullcontext()
    with promised, Tracer():
        copy_promised_rows[(1,)](x, y, stride, ROWS=4, COLS=8)
    assert torch.equal(x, y) == (not broken)


@triton.jit
def copy_by_addresses(x_ptr, y_ptr, BLOCK: tl.constexpr, TURNED: tl.constexpr):
    offsets = tl.arange(0, BLOCK) ^ TURNED
    tl.store(y_ptr + offsets, tl.load(tl.max_contiguous(x_ptr + offsets, 4)))


@pytest.mark.parametrize(("turned", "holds"), [(0, True), (4, True), (1, False)])
def test_addresses_that_are_promised_to_follow_each_other(turned: int, holds: bool) -> None:
    x, y = torch.arange(16.0), torch.zeros(16)
    promised = contextlib.nullcontext() if holds else pytest.raises(KernelError, match="promises 4 addresses that fol")
    with promised, Tracer():
        copy_by_addresses[(1,)](x, y, BLOCK=16, TURNED=turned)
    assert torch.equal(x, y) == holds
