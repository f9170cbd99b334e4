"""Every classic memory mistake is found, at its line, with the right numbers; correct kernels have no findings."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
import torch
import triton
import triton.language as tl

from tests.worded import findings_of, said
from tritonpuzzles.engine.interpreter import Tracer
from tritonpuzzles.results.check import Finding

from . import mistakes
from .mistakes import (
    address_from_nowhere,
    atomic_outside,
    atomic_sum,
    duplicate_addresses,
    helper_out_of_bounds,
    in_place,
    load_without_mask,
    loop_bound_without_other,
    loop_past_the_end,
    missing_atomic,
    negative_offset,
    neighbour,
    overlapping_programs,
    overlapping_same_value,
    reads_its_output,
    row_without_mask,
    shifted_load,
    skips_the_last,
    store_without_mask,
    sum_without_other,
    wrapping_offset,
)

N, BLOCK, GRID = 1000, 256, (4,)


def line_of(kernel: Any, mark: str = "# here") -> int:
    """Return the line with the mark."""
    lines, first = inspect.getsourcelines(kernel.fn)
    return next(first + i for i, line in enumerate(lines) if mark in line)


def run(kernel: Any, *, fresh: bool = False, batch: int = 1 << 18) -> Tracer:
    x, y = torch.randn(N), torch.zeros(N)
    tracer = Tracer(user_file=mistakes.__file__, batch=batch)
    if fresh:
        tracer.mark_uninitialised(y)
    with tracer:
        kernel[GRID](x, y, N, BLOCK=BLOCK)
    return tracer


def by_code(tracer: Tracer) -> dict[str, Finding]:
    return {finding.code: finding for finding in findings_of(tracer)}


EXPECTED: list[tuple[Any, Any, str, str, int, int, int]] = [
    # kernel, where its line is, code, argument, count, first program, first element
    (load_without_mask, load_without_mask, "out-of-bounds-load", "x_ptr", 24, 3, 1000),
    (store_without_mask, store_without_mask, "out-of-bounds-store", "y_ptr", 24, 3, 1000),
    (negative_offset, negative_offset, "out-of-bounds-load", "x_ptr", 1, 0, -1),
    (loop_past_the_end, loop_past_the_end, "out-of-bounds-load", "x_ptr", 96, 0, 1000),
    (helper_out_of_bounds, shifted_load, "out-of-bounds-load", "x_ptr", 1, 3, 1000),
    (overlapping_programs, overlapping_programs, "race-write-write", "y_ptr", 384, 1, 128),
    (overlapping_same_value, overlapping_same_value, "written-twice", "y_ptr", 384, 1, 128),
    (duplicate_addresses, duplicate_addresses, "race-write-write", "y_ptr", 500, 0, 0),
    (missing_atomic, missing_atomic, "race-read-write", "y_ptr", 1, 0, 0),
    (neighbour, neighbour, "race-read-write", "y_ptr", 744, 0, 256),
    (atomic_outside, atomic_outside, "out-of-bounds-atomic", "y_ptr", 24, 3, 1000),
    (address_from_nowhere, address_from_nowhere, "out-of-bounds-load", "", 1024, 0, None),
    (wrapping_offset, wrapping_offset, "int32-overflow", "x_ptr", 256, 3, None),
]


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda expected: expected[0].fn.__name__)
def test_mistake_is_found_at_its_line(expected: tuple[Any, ...]) -> None:
    kernel, where, code, argument, count, program, element = expected
    finding = by_code(run(kernel))[code]
    assert (finding.file, finding.line) == (mistakes.__file__, line_of(where))
    assert finding.details["argument"] == argument
    assert finding.details["count"] == count
    assert finding.details["program"] == [program, 0, 0]
    assert finding.details["element"] == element
    assert f"(line {finding.line + 2 * (code == 'int32-overflow')})" in finding.message  # what uses it comes after it
    assert finding.next_step


@pytest.mark.parametrize("batch", [1, 300, 1 << 18])
@pytest.mark.parametrize("kernel", [load_without_mask, overlapping_programs, neighbour], ids=lambda k: k.fn.__name__)
def test_findings_do_not_depend_on_the_batch(kernel: Any, batch: int) -> None:
    found = {(f.code, f.line, f.details["argument"]) for f in findings_of(run(kernel, batch=batch))}
    assert found == {(f.code, f.line, f.details["argument"]) for f in findings_of(run(kernel))}


def test_out_of_bounds_sentence() -> None:
    finding = by_code(run(load_without_mask))["out-of-bounds-load"]
    line = line_of(load_without_mask)
    expected = f"x_ptr is read outside its 1,000 elements: 24 lanes, first by program 3 at element 1000 (line {line})."
    assert finding.message == expected


def test_read_of_uninitialised_output() -> None:
    assert not findings_of(run(reads_its_output))
    finding = by_code(run(reads_its_output, fresh=True))["uninitialised-read"]
    assert finding.line == line_of(reads_its_output)
    assert finding.details["count"] == N


def test_undefined_lane_is_attributed_to_the_load_that_matters() -> None:
    findings = findings_of(run(sum_without_other))
    assert [finding.code for finding in findings] == ["undefined-lane"]
    assert findings[0].line == line_of(sum_without_other)
    assert findings[0].details["stored"] == "y_ptr"
    assert findings[0].details["program"] == [3, 0, 0]


def test_undefined_lane_that_decides_a_loop() -> None:
    x, y = torch.randn(N + 8), torch.zeros(N)
    with Tracer() as tracer:
        loop_bound_without_other[GRID](x, y, N, BLOCK=BLOCK)
    assert [(f.code, f.line) for f in findings_of(tracer)] == [("undefined-lane", line_of(loop_bound_without_other))]


def test_gap_of_a_strided_view() -> None:
    x, y = torch.randn(5, 64)[:, :50], torch.zeros(5, 50)
    with Tracer() as tracer:
        row_without_mask[(5,)](x, y, x.stride(0), 50, BLOCK=64)
    finding = by_code(tracer)["out-of-bounds-load"]
    assert finding.line == line_of(row_without_mask)
    assert finding.details["count"] == 5 * 14
    assert "gaps" in finding.message


@pytest.mark.parametrize("kernel", [atomic_sum, skips_the_last], ids=lambda k: k.fn.__name__)
def test_no_false_alarm(kernel: Any) -> None:
    assert findings_of(run(kernel)) == []


def test_in_place_kernel_is_no_conflict() -> None:
    x = torch.arange(float(N))
    with Tracer() as tracer:
        in_place[GRID](x, N, BLOCK=BLOCK)
    assert findings_of(tracer) == []
    assert torch.equal(x, 2 * torch.arange(float(N)))
    assert tracer.launches[0].arguments[0].loaded_bytes == 4 * N


def test_nothing_stray_is_dereferenced() -> None:
    """Memory around a tensor stays as it was."""
    whole = torch.arange(float(N + 600))
    y = whole[300 : 300 + N]
    with Tracer() as tracer:
        store_without_mask[GRID](torch.randn(N), y, N, BLOCK=BLOCK)
    assert "out-of-bounds-store" in by_code(tracer)
    assert torch.equal(whole[:300], torch.arange(300.0))
    assert torch.equal(whole[300 + N :], torch.arange(300.0 + N, 600.0 + N))


def test_unwritten_elements() -> None:
    y = torch.empty(N)
    with Tracer() as tracer:
        skips_the_last[GRID](torch.randn(N), y, N, BLOCK=BLOCK)
    gap = tracer.check_written(y, "y")
    assert gap is not None
    (finding,) = said([gap])
    assert finding.details == {
        "argument": "The output y",
        "count": 1,
        "element": [999],
        "where": "element 999",
        "open": True,
        "written": 999,
        "part": "element",
    }
    assert finding in findings_of(tracer)
    assert tracer.written(y).any()
    assert tracer.written(y.view(10, 100)).sum() == N - 1
    assert tracer.check_written(y[:-1], "y") is None


@triton.jit
def some_columns(y_ptr, n_rows, n_cols, first_row, last_col, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    tl.store(y_ptr + row * n_cols + cols, 1.0, mask=(cols < last_col) & (row >= first_row))


@pytest.mark.parametrize(
    ("first_row", "last_col", "where"),
    [
        (0, 40, "columns 40 and after of every row"),
        (0, 49, "column 49 of every row"),
        (3, 50, "rows 0 to 2, whole"),
        (9, 50, "every element"),
    ],
)
def test_unwritten_elements_in_words(first_row: int, last_col: int, where: str) -> None:
    y = torch.empty(9, 50)
    with Tracer() as tracer:
        some_columns[(9,)](y, 9, 50, first_row, last_col, BLOCK=64)
    gap = tracer.check_written(y, "y")
    assert gap is not None
    assert gap.where.words() == where


@triton.jit
def in_a_loop(y_ptr, n_rows, n_cols, first_row, last_col, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    for _ in range(1):
        tl.store(y_ptr + row * n_cols + cols, 1.0, mask=(cols < last_col) & (row >= first_row))


@triton.jit
def from_some_column(y_ptr, n_cols, first, BLOCK: tl.constexpr):
    cols = first + tl.arange(0, BLOCK)
    tl.store(y_ptr + tl.program_id(0) * n_cols + cols, 1.0, mask=cols < n_cols)


@triton.jit
def copy(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + o, tl.load(x_ptr + o, mask=o < n, other=0.0), mask=o < n)


def unwritten(y: torch.Tensor, kernel: Any, programs: int, *arguments: Any) -> Finding:
    with Tracer() as tracer:
        kernel[(programs,)](*arguments, BLOCK=64)
    gap = tracer.check_written(y, "y")
    assert gap is not None
    (finding,) = said([gap])
    return finding


def test_a_size_at_which_the_stores_end_is_told_with_the_launch() -> None:
    y = torch.empty(9, 50)
    finding = unwritten(y, some_columns, 9, y, 9, 50, 0, 40)
    assert "last_col is 40 in the launch of line" in finding.message
    assert "there are 50 columns" in finding.message
    assert (finding.next_step or "").startswith("Follow last_col")


def test_where_a_loop_could_go_on_no_size_is_blamed() -> None:
    y = torch.empty(9, 50)
    finding = unwritten(y, in_a_loop, 9, y, 9, 50, 0, 40)
    assert "last_col" not in finding.message
    assert finding.details["written"] == 40


def test_stores_that_begin_too_far_on() -> None:
    y = torch.empty(9, 50)
    finding = unwritten(y, from_some_column, 9, y, 50, 3)
    assert "The first store begins at column 3, in every row." in finding.message


@triton.jit
def one_tile(y_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + (n - 1 - o), 1.0, mask=o < n)  # from the end


def test_programs_that_are_too_few_for_their_tiles() -> None:
    y = torch.empty(200)
    finding = unwritten(y, one_tile, 2, y, 200)
    assert "one_tile runs as 2 programs of 64 elements at most: at least 4 are needed." in finding.message


def test_a_store_to_another_tensor_is_told_with_the_launch() -> None:
    x, y = torch.zeros(50), torch.empty(50)
    finding = unwritten(y, copy, 1, y, x, 50)
    assert "stores to y_ptr, which is another tensor in the launch of line" in finding.message
    assert "parameters" in (finding.next_step or "")


def test_a_store_whose_mask_is_false_everywhere() -> None:
    y = torch.empty(9, 50)
    finding = unwritten(y, some_columns, 9, y, 9, 50, 9, 50)
    assert "keeps no lane on" in finding.message
    assert "has no iteration" not in (finding.next_step or "")
    assert "has no iteration" in (unwritten(y, in_a_loop, 9, y, 9, 50, 9, 50).next_step or "")


@triton.jit
def rows_of_a_matrix(x_ptr, y_ptr, stride, n_cols, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + cols, mask=cols < n_cols, other=0.0)
    tl.store(y_ptr + row * stride + cols, x, mask=cols < n_cols)


@triton.jit
def rows_of_y(y_ptr, y_row_stride, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    tl.store(y_ptr + tl.program_id(0) * y_row_stride + cols, 1.0, mask=cols < n_cols)


def test_a_stride_that_is_another_tensors_is_told_by_its_name() -> None:
    with Tracer() as tracer:
        rows_of_y[(9,)](torch.zeros(9, 50), 60, 50, BLOCK=64)
    finding = next(found for found in findings_of(tracer) if found.code == "out-of-bounds-store")
    assert "y_row_stride is 60 in the launch, and the rows of y_ptr are 50 elements apart." in finding.message
    assert finding.next_step == "Pass the stride of y_ptr as y_row_stride."


@pytest.mark.parametrize(
    ("programs", "stride", "says"),
    [
        (12, 60, "Program 9 is the first without a row: 12 are launched for 9 rows."),
        (9, 70, "No argument of the launch is the row stride of x_ptr, 60."),
    ],
)
def test_what_of_a_launch_explains_that_a_matrix_is_left(programs: int, stride: int, says: str) -> None:
    x, y = torch.zeros(9, 60)[:, :50], torch.zeros(9, 60)[:, :50]
    with Tracer() as tracer:
        rows_of_a_matrix[(programs,)](x, y, stride, 50, BLOCK=64)
    finding = next(found for found in findings_of(tracer) if found.code == "out-of-bounds-load")
    assert says in finding.message


def test_findings_of_several_launches_are_added() -> None:
    x, y = torch.randn(N), torch.zeros(N)
    with Tracer() as tracer:
        for _ in range(3):
            load_without_mask[GRID](x, y, N, BLOCK=BLOCK)
    assert [finding.details["count"] for finding in findings_of(tracer)] == [72]
