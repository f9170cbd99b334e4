"""Tensors without memory: kernels reach everywhere, and what 32 bits cannot count is named at its line."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.worded import findings_of
from tritonpuzzles.engine.interpreter import Tracer
from tritonpuzzles.engine.interpreter.phantom import EACH_SIDE, LARGE_SHARE, Pieces, inside, telling_programs
from tritonpuzzles.engine.interpreter.storage import identity

ROWS, COLS = 139_999, 16_111


@triton.jit
def wide(x_ptr, y_ptr, x_stride, y_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + cols, mask=cols < n_cols, other=0.0)
    tl.store(y_ptr + row * y_stride + cols, x, mask=cols < n_cols)


@triton.jit
def narrow(x_ptr, y_ptr, x_stride, y_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + cols, mask=cols < n_cols, other=0.0)
    tl.store(y_ptr + row * y_stride + cols, x, mask=cols < n_cols)


@triton.jit
def widened_too_late(x_ptr, y_ptr, x_stride, y_stride, n_cols, BLOCK: tl.constexpr):
    start = (tl.program_id(0) * x_stride).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + start + cols, mask=cols < n_cols, other=0.0)
    tl.store(y_ptr + tl.program_id(0).to(tl.int64) * y_stride + cols, x, mask=cols < n_cols)


@triton.jit
def widened_before_the_last_sum(x_ptr, y_ptr, x_stride, y_stride, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    offsets = (tl.program_id(0) * x_stride).to(tl.int64) + cols
    x = tl.load(x_ptr + offsets, mask=cols < n_cols, other=0.0)
    tl.store(y_ptr + tl.program_id(0).to(tl.int64) * y_stride + cols, x, mask=cols < n_cols)


@triton.jit
def without_mask(x_ptr, y_ptr, x_stride, y_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    tl.store(y_ptr + row * y_stride + cols, tl.load(x_ptr + row * x_stride + cols))


@triton.jit
def persistent(x_ptr, y_ptr, x_stride, y_stride, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), 139_999, tl.num_programs(0)):
        x = tl.load(x_ptr + row.to(tl.int64) * x_stride + cols, mask=cols < n_cols, other=0.0)
        tl.store(y_ptr + row.to(tl.int64) * y_stride + cols, x, mask=cols < n_cols)


@triton.jit
def folded(x_ptr, y_ptr, x_stride, y_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(1).to(tl.int64) * tl.num_programs(0) + tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    rows_left = row < 139_999
    tl.store(y_ptr + row * y_stride + cols, 0.0, mask=(cols < n_cols) & rows_left)


@triton.jit
def folded_wrongly(x_ptr, y_ptr, x_stride, y_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(1).to(tl.int64) * tl.num_programs(1) + tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    rows_left = row < 139_999
    tl.store(y_ptr + row * y_stride + cols, 0.0, mask=(cols < n_cols) & rows_left)


def run(kernel: Any, x: torch.Tensor, programs: int | None = None) -> Tracer:
    y = torch.empty(x.shape, dtype=x.dtype, device="meta")
    block = triton.next_power_of_2(x.shape[1])
    with Tracer(check_undefined=False) as tracer:
        kernel[(programs or x.shape[0],)](x, y, x.stride(0), y.stride(0), x.shape[1], BLOCK=block)
    return tracer


def large() -> torch.Tensor:
    return torch.empty(ROWS, COLS, dtype=torch.float16, device="meta")


def far_apart() -> torch.Tensor:
    return torch.empty(3 << 30, dtype=torch.float16, device="meta").as_strided((3, 300), (1 << 30, 1))


@pytest.mark.parametrize("x", [large(), far_apart()], ids=["large", "far apart"])
def test_a_kernel_that_counts_in_64_bits_is_right(x: torch.Tensor) -> None:
    assert not findings_of(run(wide, x))


def test_the_product_that_wraps_is_named_with_its_numbers_and_the_first_program() -> None:
    load, store = findings_of(run(narrow, large()))
    row = -(-(2**31) // COLS)
    assert (load.code, store.code) == ("int32-overflow", "int32-overflow")
    assert load.details["program"] == [row, 0, 0]
    assert load.message.startswith(f"row * x_stride wraps around: {row:,} * {COLS:,} is {row * COLS:,}, and int32 ends")
    assert load.next_step == "Convert row to 64 bits where it is made, with .to(tl.int64): several products need it."
    assert (store.next_step, store.line) == (load.next_step, load.line)


def test_rows_far_apart_wrap_in_the_input_alone() -> None:
    (finding,) = findings_of(run(narrow, far_apart()))
    assert (finding.code, finding.details["argument"]) == ("int32-overflow", "x_ptr")
    assert "2 * 1,073,741,824 is 2,147,483,648" in finding.message


@pytest.mark.parametrize("kernel", [widened_too_late, widened_before_the_last_sum])
def test_a_conversion_after_the_product_comes_too_late(kernel: Any) -> None:
    (finding,) = findings_of(run(kernel, large()))
    assert finding.message.startswith("tl.program_id(0) * x_stride wraps around")


@pytest.mark.parametrize("x", [large(), far_apart()], ids=["large", "far apart"])
def test_lanes_outside_are_found(x: torch.Tensor) -> None:
    codes = {finding.code for finding in findings_of(run(without_mask, x))}
    assert "out-of-bounds-store" in codes
    assert "out-of-bounds-load" in codes


def spread(values: torch.Tensor, stride: int) -> tuple[Tracer, torch.Tensor]:
    """Return a tensor with these rows so far apart, and a tracer that knows their numbers."""
    reach = (len(values) - 1) * stride + values.shape[1]
    tensor = torch.empty(reach, dtype=values.dtype, device="meta").as_strided(values.shape, (stride, 1))
    return Tracer(pieces={identity(tensor.untyped_storage()): Pieces(values, stride)}), tensor


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_rows_far_apart_have_their_numbers(dtype: torch.dtype) -> None:
    values = torch.randn(5, 37).to(dtype)
    tracer, x = spread(values, 1 << 30)
    y = torch.empty(values.shape, dtype=dtype)
    with tracer:
        wide[(5,)](x, y, x.stride(0), y.stride(0), 37, BLOCK=64)
    assert torch.equal(y, values)
    assert not findings_of(tracer)
    assert tracer.launches[0].arguments[0].loaded_times == 1.0


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_a_copy_of_rows_far_apart_has_their_numbers(dtype: torch.dtype) -> None:
    values = torch.randn(5, 37).to(dtype)
    tracer, x = spread(values, 100_003)
    assert torch.equal(tracer.numbers(x), values)
    assert torch.equal(tracer.numbers(x[1:, 3:].T), values[1:, 3:].T)
    assert tracer.numbers(values) is values


def test_what_lies_between_rows_far_apart_is_not_theirs() -> None:
    tracer, x = spread(torch.randn(5, 37), 100_003)
    y = torch.empty(5, 64)
    with tracer:
        without_mask[(5,)](x, y, x.stride(0), y.stride(0), 37, BLOCK=64)
    (finding,) = findings_of(tracer)
    assert (finding.code, finding.details["count"]) == ("out-of-bounds-load", 5 * 27)


def test_how_far_programs_reach_is_known() -> None:
    x, y = large(), torch.empty(ROWS, COLS, dtype=torch.float16, device="meta")
    with Tracer(check_undefined=False) as tracer:
        wide[(ROWS,)](x, y, COLS, COLS, COLS, BLOCK=16_384)
        assert tracer.reached(y) == 2 * ROWS * COLS
        wide[(3,)](y, x, COLS, COLS, COLS, BLOCK=16_384)
    assert tracer.reached(x) == 2 * ROWS * COLS


def test_long_loops_end_early_and_nothing_is_said_against_them() -> None:
    tracer = run(persistent, large(), programs=132)
    assert not findings_of(tracer)
    assert tracer.launches[0].programs == 132


@triton.jit
def persistent_with_a_narrow_store(x_ptr, y_ptr, x_stride, y_stride, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), 139_999, tl.num_programs(0)):
        x = tl.load(x_ptr + row.to(tl.int64) * x_stride + cols, mask=cols < n_cols, other=0.0)
        tl.store(y_ptr + row * y_stride + cols, x, mask=cols < n_cols)


@triton.jit
def persistent_with_a_moving_offset(x_ptr, y_ptr, x_stride, y_stride, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    offset = tl.program_id(0) * x_stride
    for _ in range(tl.program_id(0), 139_999, tl.num_programs(0)):
        tl.store(y_ptr + offset + cols, tl.load(x_ptr + offset + cols, mask=cols < n_cols), mask=cols < n_cols)
        offset += x_stride * tl.num_programs(0)


def test_the_last_rows_of_a_program_that_walks_over_them_are_looked_at() -> None:
    (store,) = findings_of(run(persistent_with_a_narrow_store, large(), programs=132))
    assert (store.code, store.details["argument"]) == ("int32-overflow", "y_ptr")
    assert store.message.startswith(f"row * y_stride wraps around: {131 + (1_060 - 3) * 132:,} * {COLS:,} is")


def test_an_offset_that_moves_on_is_followed_through_all_turns() -> None:
    load, _ = findings_of(run(persistent_with_a_moving_offset, large(), programs=1_320))
    assert (load.code, load.details["argument"]) == ("int32-overflow", "x_ptr")


@triton.jit
def by_tiles(x_ptr, y_ptr, x_stride, y_stride, n_cols, BLOCK: tl.constexpr):
    source = (tl.program_id(0) * x_stride + tl.arange(0, BLOCK)).to(tl.int64)
    target = (tl.program_id(0) * y_stride + BLOCK * y_stride).to(tl.int64)
    tl.store(y_ptr + target, tl.max(tl.load(x_ptr + source), axis=0))


def test_each_access_tells_of_its_own_wrap_and_constexprs_stay_as_they_are() -> None:
    found = [finding for finding in findings_of(run(by_tiles, large())) if finding.code == "int32-overflow"]
    assert {finding.details["argument"]: finding.next_step.rpartition(": ")[2] for finding in found} == {
        "x_ptr": "tl.program_id(0).to(tl.int64) * x_stride + tl.arange(0, BLOCK).",
        "y_ptr": "tl.program_id(0).to(tl.int64) * y_stride + BLOCK * y_stride.",
    }
    assert found[0].line is not None
    assert found[1].line == found[0].line + 1


@triton.jit
def far_step(x_ptr, y_ptr, x_stride, y_stride, n_cols, BLOCK: tl.constexpr):
    step = BLOCK * x_stride
    tl.store(y_ptr, tl.load(x_ptr + step))


def test_a_constexpr_is_not_converted() -> None:
    (finding, *_) = findings_of(run(far_step, far_apart(), programs=1))
    assert finding.next_step == "Convert to 64 bits before multiplying: BLOCK * x_stride.to(tl.int64)."


@triton.jit
def kept_in(y_ptr, row, value):
    tl.store(y_ptr + row, value)


@triton.jit
def larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def maximum(x_ptr, y_ptr, n_cols, rows):
    m = 0.0
    for col in range(n_cols):
        m = larger(m, tl.load(x_ptr + tl.program_id(0) * n_cols + col))
    tl.store(y_ptr + tl.program_id(0), m)


@triton.jit
def maximum_by_while(x_ptr, y_ptr, n_cols, rows):
    m, col = 0.0, 0
    while col < n_cols:
        m = tl.maximum(m, tl.load(x_ptr + tl.program_id(0) * n_cols + col))
        col += 1
    kept_in(y_ptr, tl.program_id(0), m)


@triton.jit
def maximum_of_many(x_ptr, y_ptr, n_cols, rows):
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        m = 0.0
        for col in range(n_cols):
            m = tl.maximum(m, tl.load(x_ptr + row * n_cols + col))
        kept_in(y_ptr, row, m)


@triton.jit
def maximum_stored_in_the_last_turn(x_ptr, y_ptr, n_cols, rows):
    m = 0.0
    for col in range(n_cols):
        m = tl.maximum(m, tl.load(x_ptr + tl.program_id(0) * n_cols + col))
        if col == n_cols - 1:
            kept_in(y_ptr, tl.program_id(0), m)


def skim(kernel: Any, programs: int, turns: int | None) -> tuple[int, int]:
    """Return how many of 40 rows are stored, and how many bytes of 40 x 300 floats are loaded."""
    x, y = torch.zeros(40, 300), torch.empty(40)
    with Tracer(check_undefined=False, turns=turns) as tracer:
        tracer.mark_uninitialised(y)
        kernel[(programs,)](x, y, 300, 40)
    return int(tracer.written(y).sum()), sum(a.loaded_bytes for a in tracer.launches[0].arguments)


@pytest.mark.parametrize("kernel", [maximum, maximum_by_while, maximum_of_many])
def test_loops_that_store_nothing_end_early_where_they_are_skimmed(kernel: Any) -> None:
    assert skim(kernel, 40, None) == (40, 40 * 300 * 4)
    assert skim(kernel, 40, 2) == (40, 40 * 2 * 4)


@pytest.mark.parametrize("turns", [2, 5])
def test_programs_that_are_missing_are_seen_all_the_same(turns: int) -> None:
    assert skim(maximum, 13, turns)[0] == skim(maximum_by_while, 13, turns)[0] == 13
    assert skim(maximum_of_many, 13, turns)[0] == 40


def test_a_loop_that_stores_is_not_cut_short() -> None:
    assert skim(maximum_stored_in_the_last_turn, 40, 2) == (40, 40 * 300 * 4)


def test_programs_that_begin_where_others_do_are_found() -> None:
    tracers = [Tracer(check_undefined=False), Tracer(check_undefined=False)]
    for tracer, kernel in zip(tracers, (folded, folded_wrongly), strict=True):
        y = torch.empty((ROWS, COLS), dtype=torch.float16, device="meta")
        with tracer:
            kernel[(32_768, 5)](y, y, COLS, COLS, COLS, BLOCK=16_384)
    assert not findings_of(tracers[0])
    (found,) = findings_of(tracers[1])
    assert found.code == "written-twice"
    assert "by programs (0, 1, 0) and (5, 0, 0)" in found.message


@settings(deadline=None)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=3), st.lists(st.integers(0, 3), min_size=3, max_size=3))
def test_inside_is_what_the_view_covers(shape: list[int], gaps: list[int]) -> None:
    strides, reach = [], 1
    for size, gap in zip(reversed(shape), gaps, strict=False):
        strides.insert(0, reach)
        reach = reach * size + gap
    covered = np.zeros(reach, dtype=bool)
    np.lib.stride_tricks.as_strided(covered, shape, strides)[...] = True
    view = torch.empty(reach, device="meta").as_strided(shape, strides)
    assert inside(view, np.arange(reach)).tolist() == covered.tolist()


@settings(deadline=None)
@given(
    st.tuples(st.integers(1, 300_000), st.integers(1, 5), st.integers(1, 3)),
    st.integers(1, 1 << 34),
)
def test_the_first_the_last_and_the_boundary_programs_are_run(grid: tuple[int, int, int], elements: int) -> None:
    count = grid[0] * grid[1] * grid[2]
    ids = telling_programs(grid, elements).astype(np.int64)
    linear = ((ids[:, 0] * grid[1] + ids[:, 1]) * grid[2] + ids[:, 2]).tolist()
    assert linear == sorted(set(linear))
    assert count - 1 in linear
    assert set(linear) <= set(range(count))
    if elements > LARGE_SHARE * count:
        assert len(linear) == 1
        return
    assert 0 in linear
    if elements > 1 << 31:
        assert count * (1 << 31) // elements in linear
    assert len(linear) <= 4 * (2 * EACH_SIDE + 1) + 3 * (EACH_SIDE + 4)


@triton.jit
def annotated(x_ptr, y_ptr, x_stride: tl.int64, y_stride: tl.int64, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + cols, mask=cols < n_cols, other=0.0)
    tl.store(y_ptr + row * y_stride + cols, x, mask=cols < n_cols)


def test_a_stride_annotated_with_64_bits_has_them() -> None:
    assert not findings_of(run(annotated, large()))
