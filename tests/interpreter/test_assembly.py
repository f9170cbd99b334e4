"""Inline assembly: single float32 instructions are computed, everything else is refused as this engine's limit."""

from __future__ import annotations

import pytest
import torch
import triton
import triton.language as tl

from tritonpuzzles.engine.interpreter import KernelError, Tracer


@triton.jit
def one(x_ptr, y_ptr, ASM: tl.constexpr, CONSTRAINTS: tl.constexpr, PACK: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + cols)
    y = tl.inline_asm_elementwise(ASM, CONSTRAINTS, [x], dtype=x.dtype, is_pure=True, pack=PACK)
    tl.store(y_ptr + cols, y)


@triton.jit
def three(x_ptr, y_ptr, ASM: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + cols)
    tl.store(y_ptr + cols, tl.inline_asm_elementwise(ASM, "=f,f,f,f", [x, x + 1, 2.0], tl.float32, True, 1))


X = torch.linspace(0.25, 4.0, 16)


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        ("ex2.approx.ftz.f32 $0, $1;", torch.exp2(X)),
        ("ex2.approx.f32\n $0,$1", torch.exp2(X)),
        ("rcp.approx.f32 $0, $1;", 1 / X),
        ("tanh.approx.f32 $0, $1;", torch.tanh(X)),
    ],
)
def test_a_known_instruction_is_computed(instruction: str, expected: torch.Tensor) -> None:
    y = torch.zeros(16)
    with Tracer():
        one[(1,)](X, y, instruction, "=f,f", 1, BLOCK=16)
    torch.testing.assert_close(y, expected)


def test_ftz_takes_numbers_without_all_their_bits_for_0() -> None:
    x = torch.tensor([-1e-39, 1e-39, 1.0, 2e-38]).repeat(4)
    y, flushed = torch.zeros(16), torch.zeros(16)
    with Tracer():
        one[(1,)](x, y, "neg.f32 $0, $1;", "=f,f", 1, BLOCK=16)
        one[(1,)](x, flushed, "neg.ftz.f32 $0, $1;", "=f,f", 1, BLOCK=16)
    assert torch.equal(y, -x)
    assert torch.equal(flushed, torch.where(x.abs() < 1e-38, 0.0, -x))
    assert torch.equal(flushed.signbit(), (-x).signbit())


@triton.jit
def divided(x_ptr, y_ptr, ASM: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + cols)
    tl.store(y_ptr + cols, tl.inline_asm_elementwise(ASM, "=f,f,f", [2.0**100, x], tl.float32, True, 1))


@pytest.mark.parametrize(("instruction", "beyond"), [("div.approx.f32", 0.0), ("div.full.f32", 2.0**-27)])
def test_a_fast_division_by_more_than_two_to_the_126_is_0(instruction: str, beyond: float) -> None:
    x, y = torch.tensor([2.0**126, -(2.0**127)]).repeat(8), torch.zeros(16)
    with Tracer():
        divided[(1,)](x, y, f"{instruction} $0, $1, $2;", BLOCK=16)
    assert y[:2].tolist() == [2.0**-26, -beyond]


def test_arguments_keep_their_order() -> None:
    y = torch.zeros(16)
    with Tracer():
        three[(1,)](X, y, "fma.rn.f32 $0, $1, $2, $3;", BLOCK=16)
    torch.testing.assert_close(y, X * (X + 1) + 2)


@pytest.mark.parametrize(
    ("instruction", "constraints", "pack", "x"),
    [
        ("popc.b32 $0, $1;", "=f,f", 1, X),
        ("ex2.approx.f32 $0, $1; add.f32 $0, $0, $1;", "=f,f", 1, X),
        ("ex2.approx.f32 $0, $1;", "=r,r", 1, X),
        ("ex2.approx.f32 $0, $1;", "=f,f", 2, X),
        ("ex2.approx.ftz.bf16x2 $0, $1;", "=r,r", 2, X.to(torch.bfloat16)),
    ],
    ids=["unknown", "two instructions", "other registers", "packed", "another dtype"],
)
def test_all_other_is_refused(instruction: str, constraints: str, pack: int, x: torch.Tensor) -> None:
    with Tracer(), pytest.raises(KernelError, match=r"inline assembly .* cannot be run on a CPU") as caught:
        one[(1,)](x, torch.zeros_like(x), instruction, constraints, pack, BLOCK=16)
    assert caught.value.code == "unsupported-operation"


def test_arguments_in_another_order_are_refused() -> None:
    with Tracer(), pytest.raises(KernelError, match="cannot be run on a CPU"):
        three[(1,)](X, torch.zeros(16), "fma.rn.f32 $0, $2, $1, $3;", BLOCK=16)
