"""A kernel's own text tells what an address is made of: strides by their names, and what moves it on."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import triton
import triton.language as tl

from tests.worded import findings_of
from tritonpuzzles.engine.interpreter import Tracer
from tritonpuzzles.results.check import Finding
from tritonpuzzles.source.steps import is_stride_of


@pytest.mark.parametrize(
    ("name", "pointer", "is_own"),
    [
        ("x_row_stride", "x_ptr", True),
        ("x_stride", "x_ptr", True),
        ("stride_xm", "x_ptr", True),
        ("stride_x_row", "x_ptr", True),
        ("out_row_stride", "o_ptr", False),
        ("stride_xs_m", "x_ptr", False),
        ("stride_acc", "a_ptr", False),
        ("x_rows", "x_ptr", False),
    ],
)
def test_strides_belong_to_tensors_by_their_names(name: str, pointer: str, is_own: bool) -> None:
    assert is_stride_of(name, pointer) is is_own


@triton.jit
def steps_by_columns(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=0.0)
    tl.store(y_ptr + row * y_row_stride + cols, x, mask=cols < n_cols)


@triton.jit
def moves_by_another(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    src = x_ptr + row * x_row_stride + cols
    dst = y_ptr + row * y_row_stride + cols
    for _ in range(4):
        tl.store(dst, tl.load(src, mask=cols < n_cols, other=0.0), mask=cols < n_cols)
        src += x_row_stride
        dst += x_row_stride  # here


@triton.jit
def masks_by_rows(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, n_wide, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_wide, other=0.0)
    tl.store(y_ptr + row * y_row_stride + cols, x, mask=cols < n_cols)


@triton.jit
def masks_one_axis(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * 4 + tl.arange(0, 4)
    cols = tl.arange(0, BLOCK)
    ok = cols[None, :] < n_cols
    x = tl.load(x_ptr + rows[:, None] * x_row_stride + cols[None, :], mask=ok, other=0.0)
    tl.store(y_ptr + rows[:, None] * y_row_stride + cols[None, :], x, mask=ok & (rows[:, None] < 4))


@triton.jit
def masks_every_turn_alike(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, 16)
    src = x_ptr + tl.program_id(0) * x_row_stride + cols
    total = tl.zeros((16,), tl.float32)
    for _ in range(0, n_cols, 16):
        total += tl.load(src, mask=cols < n_cols, other=0.0)
        src += 16
    tl.store(y_ptr + tl.program_id(0) * y_row_stride + cols, total)


@triton.jit
def loops_to_the_columns(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, n_rows, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), n_cols, tl.num_programs(0)):  # here
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=0.0)
        tl.store(y_ptr + row * y_row_stride + cols, x, mask=cols < n_cols)


@triton.jit
def masks_what_is_left(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, 16)
    src = x_ptr + tl.program_id(0) * x_row_stride + cols
    total = tl.zeros((16,), tl.float32)
    for start in range(0, n_cols + 16, 16):
        left = n_cols + 8 - start
        total += tl.load(src, mask=cols < left, other=0.0)
        src += 16
    tl.store(y_ptr + tl.program_id(0) * y_row_stride + cols, total)


@triton.jit
def masks_by_another_name(x_ptr, y_ptr, x_row_stride, y_row_stride, n_cols, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    cols = tl.program_id(0) * x_row_stride + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + cols, mask=lanes < n_cols + 4, other=0.0)
    tl.store(y_ptr + cols, x, mask=lanes < n_cols)


def first(kernel: Any, grid: int, *more: int) -> Finding:
    x, y = torch.randn(4, 32)[:, :20], torch.zeros(4, 24)[:, :20]
    tracer = Tracer(user_file=__file__)
    with tracer:
        kernel[(grid,)](x, y, x.stride(0), y.stride(0), 20, *more, BLOCK=32)
    return next(finding for finding in findings_of(tracer) if finding.code.startswith("out-of-bounds"))


@pytest.mark.parametrize(
    ("kernel", "grid", "more", "said", "step"),
    [
        (
            steps_by_columns,
            4,
            (),
            "The kernel never uses x_row_stride.",
            "row of x_ptr by x_row_stride",
        ),
        (moves_by_another, 1, (), "steps through y_ptr by x_row_stride, a stride of x_ptr.", "y_ptr by y_row_stride"),
        (masks_by_rows, 4, (30,), "The mask compares with n_wide, 30, and x_ptr is 4 x 20.", "the size of x_ptr"),
        (
            loops_to_the_columns,
            2,
            (4,),
            "The loop over row ends at n_cols, 20, and x_ptr has 4 rows.",
            "Let it end at n_rows.",
        ),
        (masks_one_axis, 2, (), "The mask does not test rows.", "Bound rows in the mask too, by the size of x_ptr"),
        (
            masks_every_turn_alike,
            4,
            (),
            "The mask is the same in every iteration, and line 76 moves src by 16.",
            "compare with what is left in each iteration",
        ),
    ],
)
def test_the_text_explains_why_an_address_leaves_a_tensor(
    kernel: Any, grid: int, more: tuple[int, ...], said: str, step: str
) -> None:
    finding = first(kernel, grid, *more)
    assert said in finding.message
    assert step in (finding.next_step or "")


@pytest.mark.parametrize("kernel", [masks_what_is_left, masks_by_another_name])
def test_of_a_mask_that_may_bound_the_address_nothing_is_said(kernel: Any) -> None:
    message = first(kernel, 4).message
    assert "The mask does not test" not in message
    assert "the same in every iteration" not in message
