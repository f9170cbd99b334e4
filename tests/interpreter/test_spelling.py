"""Advice speaks the kernel's own names: its mask, the product that wraps."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import triton
import triton.language as tl

from tests.worded import findings_of
from tritonpuzzles.engine.interpreter import Tracer
from tritonpuzzles.results.check import Finding


@triton.jit
def one_too_long(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    keep = cols <= n
    tl.store(y_ptr + cols, tl.load(x_ptr + cols, mask=cols < n, other=0.0), mask=keep)


@triton.jit
def spelled_out(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    tl.store(y_ptr + cols, tl.load(x_ptr + cols, mask=cols <= n, other=0.0), mask=cols < n)


@triton.jit
def without(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + cols)
    tl.store(y_ptr + cols, x, mask=cols < n)


@pytest.mark.parametrize(
    ("kernel", "step"),
    [
        (
            one_too_long,
            "Correct the offsets, or the mask, which keeps these lanes on: it must be false where y_ptr ends.",
        ),
        (
            spelled_out,
            "Correct the offsets, or the mask, which keeps these lanes on: it must be false where x_ptr ends.",
        ),
        (without, "Pass mask= to tl.load: false where x_ptr ends. Or correct the offsets."),
    ],
)
def test_a_mask_that_is_there_is_not_asked_for(kernel: Any, step: str) -> None:
    x = torch.zeros(100)
    with Tracer() as tracer:
        kernel[(1,)](x, torch.zeros(100), 100, BLOCK=128)
    assert [finding.next_step for finding in findings_of(tracer) if finding.code.startswith("out-of-bounds")] == [step]


@triton.jit
def named(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    keep = cols <= n
    x = tl.load(x_ptr + cols, mask=keep, other=0.0)
    tl.store(y_ptr + cols, x, mask=cols < n)


def test_the_mask_is_called_by_its_name() -> None:
    x = torch.zeros(100)
    with Tracer() as tracer:
        named[(1,)](x, torch.zeros(100), 100, BLOCK=128)
    (finding,) = findings_of(tracer)
    assert finding.next_step is not None
    assert finding.next_step.startswith(
        f"Correct the offsets, or keep of line {named.starting_line_number + 3}, which keeps these"
    )


@triton.jit
def rows_by(x_ptr, y_ptr, stride, n_cols, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=0.0)
    tl.store(y_ptr + row * stride + cols, x, mask=mask)


def stored(y: torch.Tensor, stride: int) -> dict[str, Finding]:
    """Return what is found of five rows of ten that are stored at a stride."""
    with Tracer() as tracer:
        rows_by[(5,)](torch.zeros(5, 10), y, stride, 10, BLOCK=16)
        tracer.check_written(y)
    return {finding.code: finding for finding in findings_of(tracer)}


def test_a_mask_that_lets_the_right_number_of_lanes_through_is_not_blamed() -> None:
    asked = "Check that they step from row to row by the row stride of y_ptr."
    found = stored(torch.zeros(5, 10), 12)["out-of-bounds-store"]
    lanes = "mask: it keeps as many lanes on as y_ptr has elements, but they point elsewhere."
    assert found.next_step == f"Compare the offsets with {lanes} {asked} Check that mask tests the same indices."


def test_a_row_stride_that_the_kernel_does_not_get_is_asked_for() -> None:
    gaps = stored(torch.zeros(5, 12)[:, :10], 10)["out-of-bounds-store"]
    assert "in the gaps" in gaps.message
    assert "No argument of the launch is the row stride of y_ptr, 12." in gaps.message
    assert gaps.next_step == "Pass that stride to the kernel, and step from row to row of y_ptr by it."


def test_what_nothing_writes_is_told_with_the_one_line_that_stores() -> None:
    found = stored(torch.zeros(5, 10), 12)
    store = found["out-of-bounds-store"].line
    missing = found["unwritten-elements"]
    assert missing.line == store
    assert missing.message.endswith(f"All stores to it are in line {store}.")


def test_what_nothing_writes_is_told_with_the_rows_that_lie_on_each_other() -> None:
    found = stored(torch.zeros(5, 10), 1)
    missing = found["unwritten-elements"]
    assert missing.line == found["written-twice"].line
    assert f"Others are stored by several programs (line {missing.line})." in missing.message
    assert missing.next_step is not None
    assert missing.next_step.startswith("Give each program its own rows")


def test_no_programs_write_nothing() -> None:
    with Tracer() as tracer:
        rows_by[(0,)](torch.zeros(5, 10), y := torch.zeros(5, 10), 10, 10, BLOCK=16)
        tracer.check_written(y)
    (found,) = findings_of(tracer)
    assert "rows_by runs as 0 programs, and none stores to row 0." in found.message
