"""A loop variable is a number to compute with, and a tensor to who asks it, as in a compiled kernel."""

from __future__ import annotations

import pytest
import torch
import triton
import triton.language as tl

from tritonpuzzles.engine.interpreter import Tracer, divergence


@triton.jit
def converted(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    total = 0.0
    for start in range(0, n, BLOCK):  # the same for every program
        total += tl.sum(tl.load(x_ptr + start.to(tl.int64) + tl.arange(0, BLOCK)))
        total += (start // BLOCK + 1).to(tl.float32)
    for i in tl.range(pid, 3):  # another for each
        total += (2 * i).to(tl.float32)
    tl.store(y_ptr + pid, total)


@triton.jit
def of_one_program(y_ptr, n):
    for i in tl.range(tl.program_id(0), n, tl.num_programs(0)):
        tl.store(y_ptr + i.to(tl.int64), (n - i).to(tl.float32))


def test_a_loop_variable_can_be_converted() -> None:
    x, y = torch.ones(64), torch.zeros(3)
    with Tracer() as tracer:
        converted[(3,)](x, y, 64, BLOCK=16)
    assert y.tolist() == [64 + 10 + 6, 64 + 10 + 6, 64 + 10 + 4]
    assert not tracer.facts


def test_also_in_a_single_program() -> None:
    y = torch.zeros(3)
    with Tracer():
        of_one_program[(1,)](y, 3)
    assert y.tolist() == [3.0, 2.0, 1.0]


@triton.jit
def from_a_wide_number(x_ptr, y_ptr, n, stride):
    for i in range(tl.program_id(0).to(tl.int64), n, tl.num_programs(0)):
        tl.store(y_ptr + i, i * stride)


@triton.jit
def from_a_narrow_number(x_ptr, y_ptr, n, stride):
    for i in range(tl.program_id(0), n, tl.num_programs(0)):
        tl.store(y_ptr + i, (i * stride).to(tl.int64))


@triton.jit
def bound_anew(y_ptr, n):
    for i in range(tl.program_id(0), n, tl.num_programs(0)):
        i = i.to(tl.int64)
        tl.store(y_ptr + i, i)


def test_a_loop_variable_that_is_bound_anew_splits_no_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its type differs from that of the next iteration's, and programs that have ended keep nothing of it."""
    split: list[object] = []
    monkeypatch.setattr(divergence, "Diverge", lambda live: split.append(live) or RuntimeError("split"))
    y = torch.zeros(7, dtype=torch.int64)
    with Tracer():
        bound_anew[(3,)](y, 7)
    assert y.tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert not split


@pytest.mark.parametrize("programs", [1, 2, 3, 5])
def test_a_loop_variable_is_as_wide_as_the_widest_end(programs: int) -> None:
    y = torch.zeros(5, dtype=torch.int64)
    with Tracer():
        from_a_wide_number[(programs,)](y, y, 5, 1 << 30)
    assert y.tolist() == [i << 30 for i in range(5)]


def test_a_loop_variable_of_32_bits_wraps_around() -> None:
    y = torch.zeros(5, dtype=torch.int64)
    with Tracer():
        from_a_narrow_number[(2,)](y, y, 5, 1 << 30)
    assert y[3].item() == (3 << 30) - (1 << 32)
