"""Rows that nothing writes are told beside the number of programs, where there are too few of them."""

from __future__ import annotations

import pytest
import torch
import triton
import triton.language as tl

from tests.worded import findings_of
from tritonpuzzles.engine.interpreter import Tracer


@triton.jit
def copy_row(x_ptr, y_ptr, n_cols, B: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, B)
    x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=0.0)
    tl.store(y_ptr + row * n_cols + cols, x, mask=cols < n_cols - (row == 1))


def unwritten(n_rows: int, programs: int) -> tuple[str, str, int | None]:
    x, y = torch.ones(n_rows, 6), torch.zeros(n_rows, 6)
    tracer = Tracer(user_file=__file__)
    with tracer:
        copy_row[(programs,)](x, y, 6, B=8)
        tracer.check_written(y, "y")
    (found,) = findings_of(tracer)
    return found.message, found.next_step or "", found.line


@pytest.mark.parametrize(
    ("programs", "words"), [(1, "1 program, and none stores to row 1."), (0, "0 programs, and none stores to row 0.")]
)
def test_too_few_programs(programs: int, words: str) -> None:
    message, step, line = unwritten(4, programs)
    assert words in message
    assert "grid" in step
    assert line is not None


def test_a_hole_is_no_matter_of_the_grid() -> None:
    message, step, line = unwritten(4, 4)
    assert "copy_row" not in message
    assert "mask of tl.store" in step
    assert line is not None
    assert f"All stores to it are in line {line}." in message


def test_too_few_programs_and_a_hole() -> None:
    assert "copy_row" not in unwritten(4, 3)[0]


@triton.jit
def copy_tile(x_ptr, y_ptr, n, B: tl.constexpr):
    offsets = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)


@pytest.mark.parametrize(
    ("programs", "n", "words"),
    [
        (2, 20, "elements 16 and after. copy_tile runs as 2 programs, and none stores to element 16."),
        (3, 19, "element 19. All stores to it are in line 56. n is 19 in the launch"),  # a tile that was begun
        (0, 20, "every element. copy_tile runs as 0 programs, and none stores to element 0."),
    ],
)
def test_a_vector(programs: int, n: int, words: str) -> None:
    x, y = torch.ones(20), torch.zeros(20)
    tracer = Tracer(user_file=__file__)
    with tracer:
        copy_tile[(programs,)](x, y, n, B=8)
        tracer.check_written(y, "y")
    (found,) = findings_of(tracer)
    assert f"nothing writes: {words}" in found.message
