"""The scalars of one program, worked out by a kernel's text, are what the program holds."""

from __future__ import annotations

import ast
from typing import Any

import pytest
import torch
import triton
import triton.language as tl

from tests.worded import text_of
from tritonpuzzles.engine.interpreter import Tracer
from tritonpuzzles.source.scalars import Scalars

GRID = (7, 3, 2)
SIZES = {"M": 300, "BLOCK": 128, "GROUP": 8}


@triton.jit
def numbered(out_ptr, M, BLOCK: tl.constexpr, GROUP: tl.constexpr):
    pid = tl.program_id(0) + tl.num_programs(0) * (tl.program_id(1) + tl.num_programs(1) * tl.program_id(2))
    tiles = tl.cdiv(M, BLOCK)
    group = pid // (2 * tiles)
    left = min(tiles - group * GROUP, GROUP)
    row = (pid % left).to(tl.int64)
    col = tl.maximum(pid % (2 * tiles), 2) // left
    moved = row
    for _ in range(2):
        moved += 1
    tl.store(out_ptr + pid * 5 + 0, group)
    tl.store(out_ptr + pid * 5 + 1, left)
    tl.store(out_ptr + pid * 5 + 2, row)
    tl.store(out_ptr + pid * 5 + 3, col)
    tl.store(out_ptr + pid * 5 + 4, moved)


def worked_out(program: tuple[int, int, int], names: tuple[str, ...]) -> list[int | None]:
    steps = {step.name: step for step in text_of(numbered).steps if not step.moves}
    scalars = Scalars(text_of(numbered), SIZES, program, GRID)
    return [scalars.of(steps[name].added, steps[name].line) for name in names]


@pytest.fixture(scope="module")
def held() -> Any:
    """(programs, 5): what each has stored."""
    out = torch.zeros(42, 5, dtype=torch.int64)
    with Tracer():
        numbered[GRID](out, **SIZES)
    return out.tolist()


@pytest.mark.parametrize("x", range(7))
@pytest.mark.parametrize(("y", "z"), [(0, 0), (2, 0), (1, 1)])
def test_they_are_what_the_program_holds(held: Any, x: int, y: int, z: int) -> None:
    names = ("group", "left", "row", "col")
    assert worked_out((x, y, z), names) == held[x + 7 * (y + 3 * z)][:4]
    assert held[-1][1] < 0  # of which quotient and remainder are Triton's, not Python's


def test_what_a_loop_moves_on_is_not_known_behind_it() -> None:
    scalars, flow = Scalars(text_of(numbered), SIZES, (0, 0, 0), GRID), text_of(numbered)
    loop = flow.around(next(step.line for step in flow.steps if step.moves))[0]
    moved = ast.Name("moved")
    assert scalars.of(moved, loop.lineno) == 0
    assert scalars.of(moved, (loop.end_lineno or 0) + 1) is None


@triton.jit
def scaled(x_ptr, y_ptr, scale, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    y = tl.load(x_ptr + offsets) * scale.to(tl.float32)
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets) * scale - y)


def test_a_float_is_a_float32_scalar_as_the_compiler_has_it() -> None:
    x, y = torch.full((16,), 3.0, dtype=torch.float16), torch.ones(16)
    with Tracer():
        scaled[(1,)](x, y, 0.1, BLOCK=16)
    assert y.tolist() == [0.0] * 16  # in float32 both, not one of them in float16


@triton.jit
def least(dtype):
    kind = dtype.value
    return float("-inf") if kind.is_floating() else -(2 ** (kind.int_bitwidth - 1))


@triton.jit
def leasts(x_ptr, y_ptr, BLOCK: tl.constexpr):
    tl.store(y_ptr + tl.arange(0, BLOCK.value), least(x_ptr.dtype.element_ty))


def test_what_the_compiler_makes_a_constant_of_has_a_value() -> None:
    y = torch.zeros(16)
    with Tracer():
        leasts[(1,)](torch.zeros(1, dtype=torch.int8), y, BLOCK=16)
    assert y.tolist() == [-128.0] * 16
