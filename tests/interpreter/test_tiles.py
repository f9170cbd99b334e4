"""Where whole tiles lie in their tensors, lanes that a mask switches off included; worked out by hand."""

from __future__ import annotations

from collections.abc import Callable

import torch
import triton
import triton.language as tl

from tritonpuzzles.engine.interpreter import Tracer
from tritonpuzzles.engine.interpreter.footprints import Tiles


@triton.jit
def rows_by_tiles(x_ptr, y_ptr, n_rows, n_cols, stride, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):  # type: ignore[no-untyped-def]
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    cols = tl.arange(0, BLOCK_N)[None, :]
    mask = (rows < n_rows) & (cols < n_cols)
    x = tl.load(x_ptr + rows * stride + cols, mask=mask, other=0.0)
    tl.store(y_ptr + rows * n_cols + cols, x, mask=mask)


@triton.jit
def vector(x_ptr, y_ptr, n, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)


@triton.jit
def spilling(x_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    cols = tl.arange(0, BLOCK)
    row = tl.program_id(0) * n_cols
    tl.store(y_ptr + row + cols, tl.load(x_ptr + row + cols, mask=cols < n_cols), mask=cols < BLOCK)


@triton.jit
def every_second(x_ptr, y_ptr, n, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets * 2, mask=offsets * 2 < n, other=0.0)
    tl.store(y_ptr + offsets * offsets, x, mask=offsets * offsets < n)


def tiles(launch: Callable[[], object]) -> list[Tiles]:
    with Tracer(element_counts=True, check_undefined=False) as tracer:
        launch()
    return list(tracer.launches[0].tiles)


def test_a_matrix_with_gaps_that_ends_in_the_middle_of_a_tile() -> None:
    """3 x 5 of a row stride of 7, in two tiles of 2 x 8: the second has one row too many, both three columns."""
    x, y = torch.zeros(3, 7)[:, :5], torch.empty(3, 5)
    read, written = tiles(lambda: rows_by_tiles[(2,)](x, y, 3, 5, 7, 2, 8))
    for told, operation, argument in ((read, "load", "x_ptr"), (written, "store", "y_ptr")):
        assert (told.operation, told.argument, told.lanes) == (operation, argument, (2, 8))
        assert told.found.tolist() == [[0, 0, 0, 6], [1, 2, 0, 11]]
        assert told.time is not None


def test_a_vector_is_one_row_and_a_program_past_its_end_moves_nothing() -> None:
    x, y = torch.zeros(10), torch.empty(10)
    read, _ = tiles(lambda: vector[(3,)](x, y, 10, 8))
    assert read.lanes == (1, 8)
    assert read.found.tolist() == [[0, 0, 0, 0], [1, 0, 8, 6], [2, 0, 16, 8]]
    alone, _ = tiles(lambda: vector[(2,)](x[:0].new_zeros(8), torch.empty(8), 0, 8))
    assert (alone.time, alone.found.tolist()) == (None, [[0, 0, 0, 8], [1, 0, 8, 8]])


def test_lanes_that_spill_into_the_next_row_belong_to_the_row_they_come_from() -> None:
    x, y = torch.zeros(2, 6), torch.empty(3, 6)
    read, written = tiles(lambda: spilling[(2,)](x, y, 6, 8))
    assert read.found.tolist() == [[0, 0, 0, 2], [1, 1, 0, 2]]
    assert written.found.tolist() == [[0, 0, 0, 0], [1, 1, 0, 0]]  # its mask switches nothing off


def test_where_there_is_a_doubt_nothing_is_told() -> None:
    x, y = torch.zeros(10), torch.empty(10)
    assert tiles(lambda: every_second[(1,)](x, y, 10, 4)) == []  # neither elements side by side, nor equal steps
    column, out = torch.zeros(5, 1), torch.empty(5, 1)  # rows and columns have one stride
    assert tiles(lambda: rows_by_tiles[(1,)](column, out, 5, 1, 1, 8, 2)) == []
