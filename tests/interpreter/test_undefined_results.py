"""What has no defined result on a GPU: division by zero, a shift by all bits, a gather from outside, order of ties."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
import triton
import triton.language as tl

from tests.interpreter.test_findings import line_of
from tests.worded import findings_of
from tritonpuzzles.engine.interpreter import KernelError, Tracer

N = 8


@triton.jit
def quotients(n_ptr, y_ptr, n, ALL: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    d = tl.load(n_ptr + i)
    q = tl.full((N,), n, d.dtype) // d  # here
    tl.store(y_ptr + i, q, mask=(d != 0) | ALL)


@triton.jit
def remainders(n_ptr, y_ptr, n, ALL: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    d = tl.load(n_ptr + i)
    q = tl.full((N,), n, d.dtype) % d  # here
    tl.store(y_ptr + i, tl.where(d != 0, q, q if ALL else 0))


@triton.jit
def compared(n_ptr, y_ptr, n, ALL: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    d = tl.load(n_ptr + i)
    zero = tl.full((N,), n, d.dtype) // (d if ALL else tl.maximum(d, 1)) == 0  # here
    tl.store(y_ptr + i, zero.to(tl.int32))


@triton.jit
def gathered(x_ptr, i_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    if tl.program_id(0) > 0:
        tl.store(y_ptr + i, tl.gather(tl.load(x_ptr + i), tl.load(i_ptr + i) + tl.program_id(0) - 1, 0))


@triton.jit
def extremes(x_ptr, y_ptr, LEFT: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    largest, at = tl.max(x, axis=0, return_indices=True, return_indices_tie_break_left=LEFT)
    tl.store(y_ptr, largest)
    tl.store(y_ptr + 1, at.to(tl.float32))
    tl.store(y_ptr + 2, tl.argmax(x, axis=0, tie_break_left=LEFT).to(tl.float32))
    tl.store(y_ptr + 3, tl.argmin(x, axis=0, tie_break_left=LEFT).to(tl.float32))


@triton.jit
def shifted(by_ptr, y_ptr, x, LEFT: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.full((N,), x, y_ptr.dtype.element_ty)
    by = tl.load(by_ptr + i)
    y = x << by if LEFT else x >> by  # here
    tl.store(y_ptr + i, tl.where(i < 4, y, 0))


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize(
    ("kind", "by", "wrong"),
    [
        (torch.int32, [0, 1, 30, 31, 32, -1, 64, 99], 0),
        (torch.int32, [0, 32, -1, 5, 0, 0, 0, 0], 2),
        (torch.int64, [0, 32, 62, 63, 64, 0, 0, 0], 0),
        (torch.int64, [0, 64, 3, 4, 0, 0, 0, 0], 1),
        (torch.uint8, [7, 8, 6, 5, 0, 0, 0, 0], 1),
    ],
)
def test_a_shift_by_all_bits_is_undefined_where_it_is_used(
    left: bool, kind: torch.dtype, by: list[int], wrong: int
) -> None:
    y = torch.zeros(N, dtype=kind)
    with Tracer() as tracer:
        shifted[(1,)](torch.tensor(by, dtype=torch.int32).to(kind), y, 1, left, N)
    found = [(finding.code, finding.line, finding.details["count"]) for finding in findings_of(tracer)]
    assert found == ([("undefined-shift", line_of(shifted), wrong)] if wrong else [])


DIVISORS = torch.tensor([1, 2, 0, -3, 5, 0, 7, 8], dtype=torch.int32)


@pytest.mark.parametrize("kind", [torch.int32, torch.int64, torch.uint8], ids=str)
@pytest.mark.parametrize("kernel", [quotients, remainders, compared], ids=lambda kernel: kernel.fn.__name__)
def test_a_result_of_a_division_by_zero_is_stored(kernel: Any, kind: torch.dtype) -> None:
    y = torch.zeros(N, dtype=kind)
    with Tracer() as tracer:
        kernel[(1,)](DIVISORS.abs().to(kind), y, 7, True, N)
    (finding,) = findings_of(tracer)
    assert (finding.code, finding.line) == ("division-by-zero", line_of(kernel))
    assert finding.details["stored"] == "y_ptr"
    assert finding.details["element"] == 2
    assert "2 stored elements of y_ptr depend on them" in finding.message


@pytest.mark.parametrize("kernel", [quotients, remainders, compared], ids=lambda kernel: kernel.fn.__name__)
def test_a_division_by_zero_whose_result_is_not_used_is_right(kernel: Any) -> None:
    y = torch.zeros(N, dtype=torch.int32)
    with Tracer() as tracer:
        kernel[(1,)](DIVISORS, y, 7, False, N)
    assert not tracer.facts
    if kernel is not compared:
        divisors = torch.where(DIVISORS == 0, 8 if kernel is quotients else 7, DIVISORS)
        assert y.tolist() == [int(math.fmod(7, d)) if kernel is remainders else int(7 / d) for d in divisors.tolist()]


@pytest.mark.parametrize(("index", "first"), [(-1, "-1"), (-9, "-9"), (N, "8")])
def test_an_index_outside_of_what_is_gathered_is_refused(index: int, first: str) -> None:
    x, y = torch.arange(N, dtype=torch.float32), torch.zeros(N)
    i = torch.arange(N, dtype=torch.int32)
    i[3] = index
    with Tracer(), pytest.raises(KernelError, match=f"tl.gather: index {first} is out of bounds .* with size 8"):
        gathered[(2,)](x, i, y, N)


def test_a_program_that_does_not_gather_may_have_any_index() -> None:
    """The first program would, were it to, take an index of -1."""
    x, y = torch.arange(N, dtype=torch.float32), torch.zeros(N)
    with Tracer():
        gathered[(2,)](x, torch.arange(N, dtype=torch.int32).flip(0), y, N)
    assert y.tolist() == x.flip(0).tolist()


@pytest.mark.parametrize(("left", "at", "least"), [(True, 1, 0), (False, 3, 7)])
def test_ties_are_broken_to_the_left_or_may_be_any(left: bool, at: int, least: int) -> None:
    y = torch.zeros(4)
    with Tracer():
        extremes[(1,)](torch.tensor([0.0, 3, 1, 3, 2, 1, 3, 0]), y, left, N)
    assert y.tolist() == [3, at, at, least]


def test_nan_is_no_larger_and_no_smaller_than_what_it_is_compared_with() -> None:
    """So what comes later wins: unlike tl.max alone, which passes over NaN."""
    y = torch.zeros(4)
    with Tracer():
        extremes[(1,)](torch.tensor([1.0, *[math.nan] * (N - 1)]), y, True, N)
    assert math.isnan(y[0])
    assert y[1:].tolist() == [N - 1] * 3


@triton.jit
def spread_of_undefined_lanes(x_ptr, y_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N), mask=tl.arange(0, N) < 0)
    tl.store(y_ptr, tl.max(x, axis=0) - tl.min(x, axis=0))


def test_undefined_lanes_need_not_hold_the_same() -> None:
    with Tracer() as tracer:
        spread_of_undefined_lanes[(1,)](torch.ones(N, dtype=torch.int32), torch.zeros(1, dtype=torch.int32), N=N)
    assert [fact.code for fact in tracer.facts] == ["undefined-lane"]
