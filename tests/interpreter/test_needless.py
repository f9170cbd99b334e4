"""Grids of far more programs than have work are refused; those of right kernels, however wasteful, are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
import triton
import triton.language as tl

from tritonpuzzles.engine.interpreter import KernelError, NeedlessProgramsError, Tracer
from tritonpuzzles.engine.interpreter.arguments import MOST_PROGRAMS
from tritonpuzzles.engine.interpreter.batch import slices

from .zoo.arithmetic import add

TILE = 1024


@triton.jit
def persistent(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    for start in range(tl.program_id(0) * BLOCK, n, tl.num_programs(0) * BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        mask = offsets < n
        tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, mask=mask, other=0.0) * 2, mask=mask)


@triton.jit
def two_axes(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = (offsets < n) & (tl.program_id(1) == 0)
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, mask=mask, other=0.0), mask=mask)


@triton.jit
def stub(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n  # noqa: F841


@triton.jit
def nothing(x_ptr):
    tl.program_id(0)


def launched(kernel: Any, grid: tuple[int, ...], n: int, block: int = TILE) -> torch.Tensor:
    """Launch on n elements, and return what was stored."""
    x, y = torch.ones(n), torch.zeros(n)
    with Tracer():
        kernel[grid](x, y, n, BLOCK=block)
    return y


@pytest.mark.parametrize("n", [7_459, 300_007, 2_000_003])
def test_a_tile_for_each_element_is_refused_with_numbers(n: int) -> None:
    x, y, z = (torch.zeros(n) for _ in range(3))
    with pytest.raises(NeedlessProgramsError) as caught, Tracer(user_file=__file__):
        add[(n,)](x, y, z, n, BLOCK=TILE)
    error, tiles = caught.value, triton.cdiv(n, TILE)
    assert error.code == "needless-programs"
    assert f"add is launched with {n:,} programs" in error.message
    assert f"only {tiles:,} load or store anything." in error.message
    assert (error.file, error.programs) == (__file__, n)


def test_idle_programs_between_busy_ones_are_counted() -> None:
    with pytest.raises(NeedlessProgramsError, match=r"50,000 programs, and of the first 5,120 only 6 load or store"):
        launched(two_axes, (50, 1_000), 50 * TILE)


@pytest.mark.parametrize("grid", [(60_000_000,), (2_000, 1_000, 30), (MOST_PROGRAMS + 1,)])
def test_more_programs_than_elements_are_refused_before_one_runs(grid: tuple[int, ...]) -> None:
    x = torch.zeros(100)
    with pytest.raises(KernelError, match="its tensors have 100 elements in all") as caught, Tracer() as tracer:
        nothing[grid](x)
    assert caught.value.code == "needless-programs"
    assert tracer.launches == []


@pytest.mark.slow
def test_a_poisoned_repeat_of_a_launch_stops_for_nothing_of_its_own() -> None:
    """Its programs are counted apart: a launch of less than the limit is not over it when it has run twice."""
    n = 4_000
    x, y, z = torch.ones(n), torch.ones(n), torch.zeros(n)
    with Tracer() as tracer:
        add[(n,)](x, y, z, n, BLOCK=TILE)
    assert tracer.facts == []
    assert torch.equal(z, x + y)


@pytest.mark.parametrize(
    ("kernel", "grid", "n", "block"),
    [
        (persistent, (4_224,), 900, TILE),  # a fixed grid, as large as an H100 holds
        (persistent, (7_000,), 7_000 * 64, 64),
        (persistent, (200_000,), 200_000, 1),  # an element each
        (persistent, (MOST_PROGRAMS,), 1, 1),
    ],
)
def test_grids_of_right_kernels_are_not(kernel: Any, grid: tuple[int, ...], n: int, block: int) -> None:
    assert torch.equal(launched(kernel, grid, n, block), torch.full((n,), 2.0))


def test_a_stub_has_too_few_loads_and_not_too_many_programs() -> None:
    assert not launched(stub, (70_000,), 70_000).any()


@pytest.mark.parametrize("grid", [(1, 1, 1), (7, 3, 2), (5, 1, 4), (0, 3, 1)])
def test_slices_hold_each_program_once_in_launch_order(grid: tuple[int, int, int]) -> None:
    found = [program for part in slices(grid, 4) for program in map(tuple, part.tolist())]
    assert found == [*np.ndindex(grid)]
    assert all(len(part) <= 4 for part in slices(grid, 4))


def test_a_slice_of_a_huge_grid_needs_no_other() -> None:
    first = next(slices((2**31 - 1, 65_535, 65_535), 3))
    assert first.tolist() == [[0, 0, 0], [0, 0, 1], [0, 0, 2]]
