"""Advice speaks the kernel's own names: its mask, the product that wraps."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import triton
import triton.language as tl

from tritonpuzzles.engine.interpreter import Tracer


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
            "Correct the offsets, or the mask, which lets these lanes through: it must be false where y_ptr ends.",
        ),
        (
            spelled_out,
            "Correct the offsets, or the mask, which lets these lanes through: it must be false where x_ptr ends.",
        ),
        (without, "Pass mask= to tl.load: false where x_ptr ends. Or correct the offsets."),
    ],
)
def test_a_mask_that_is_there_is_not_asked_for(kernel: Any, step: str) -> None:
    x = torch.zeros(100)
    with Tracer() as tracer:
        kernel[(1,)](x, torch.zeros(100), 100, BLOCK=128)
    assert [finding.next_step for finding in tracer.findings if finding.code.startswith("out-of-bounds")] == [step]


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
    (finding,) = tracer.findings
    assert finding.next_step is not None
    assert finding.next_step.startswith("Correct the offsets, or keep, which lets these lanes through")
