"""A loop variable is a tensor, as in a compiled kernel, and so is what a name or a branch gives."""

from __future__ import annotations

import pytest
import torch
import triton
import triton.language as tl

from tritonpuzzles.engine.interpreter import Tracer, divergence
from tritonpuzzles.engine.interpreter.errors import KernelError


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


@triton.jit
def by_number(y_ptr, n, big):
    for i in range(3, 5):
        tl.store(y_ptr, (i - 8) // 2)  # towards zero, as C divides
        tl.store(y_ptr + 1, (i - 8) % 3)
        tl.store(y_ptr + 2, ((i < 9) + (i < 9)).to(tl.int32))  # of two truth values
        tl.store(y_ptr + 3, i * big)  # in 32 bits


@triton.jit
def of_eight_bits(y_ptr, first: tl.int8, last: tl.int8, step: tl.int8):
    for i in range(first, last, step):
        tl.store(y_ptr, i * 100 // 100)


@triton.jit
def downwards(y_ptr, step):
    for i in range(3, 0, step):
        tl.store(y_ptr + i, i)


def test_a_loop_variable_is_no_number_of_python() -> None:
    y = torch.zeros(4, dtype=torch.int64)
    with Tracer():
        by_number[(1,)](y, 5, 1 << 30)
    assert y.tolist()[:3] == [-2, -1, 0]
    assert y[3] == 0, "4 * 2^30 has no bit left of 32"


def test_a_loop_variable_has_the_type_of_its_ends() -> None:
    y = torch.zeros(1, dtype=torch.int64)
    with Tracer():
        of_eight_bits[(1,)](y, 3, 5, 2)
    assert y.item() == 0, "300 is 44 in 8 bits"


def test_only_a_constant_step_may_count_downwards() -> None:
    with pytest.raises(KernelError, match="the step of range\\(\\) is -1"), Tracer():
        downwards[(1,)](torch.zeros(4, dtype=torch.int64), -1)


@triton.jit
def one_of_two(n):
    if n > 0:
        return -5
    return 3


@triton.jit
def bound(y_ptr, n, K: tl.constexpr):
    K -= 5
    tl.store(y_ptr, K // 2)
    tl.store(y_ptr + 1, (-5 if n > 0 else 3) // 2)
    tl.store(y_ptr + 2, (a := -5) // 2)
    tl.store(y_ptr + 3, one_of_two(n) // 2)
    tl.store(y_ptr + 4, a // 2)


def test_what_a_name_or_a_branch_gives_divides_as_the_compiler_does() -> None:
    """-5 // 2 is -3 of Python's numbers, and -2 of tensors: what is bound to a name is a tensor, however that is."""
    y = torch.zeros(5, dtype=torch.int64)
    with Tracer():
        bound[(1,)](y, 7, K=0)
    assert y.tolist() == [-2] * 5


@triton.jit
def counted_by_keywords(y_ptr, n, N: tl.constexpr):
    for _ in tl.range(n, step=2):
        tl.store(y_ptr, tl.load(y_ptr) + 1)
    for _ in tl.static_range(N, step=3):
        tl.store(y_ptr + 1, tl.load(y_ptr + 1) + 1)
    for _ in tl.range(1, arg2=n, step=2):
        tl.store(y_ptr + 2, tl.load(y_ptr + 2) + 1)


def test_ends_and_steps_by_keyword() -> None:
    y = torch.zeros(3)
    with Tracer():
        counted_by_keywords[(1,)](y, 10, N=10, num_warps=1)
    assert y.tolist() == [5, 4, 5]
