"""Loops that can never end are told of in their second iteration; others run as they are."""

from __future__ import annotations

import ast
from typing import Any

import pytest
import torch
import triton
import triton.language as tl

from tritonpuzzles.engine.interpreter import KernelError, Tracer
from tritonpuzzles.engine.interpreter.loops import deciding


@triton.jit
def sets_in_place_of_adding(x_ptr, n, BLOCK: tl.constexpr):
    at = 0
    while at < n:
        tl.store(x_ptr + at + tl.arange(0, BLOCK), 1.0, mask=at + tl.arange(0, BLOCK) < n)
        at = +BLOCK


@triton.jit
def never_moves(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0)
    while at < n:
        tl.store(x_ptr + at, 1.0)


@triton.jit
def moves_another(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * 0
    turns = 0
    while at < n:
        turns += 1


@triton.jit
def ends_by_a_flag(x_ptr, n, BLOCK: tl.constexpr):
    turns = 0
    more = True
    while more:
        tl.store(x_ptr + turns, 1.0)
        turns += 1
        more = turns < n


@triton.jit
def says_its_type(x_ptr, n, BLOCK: tl.constexpr):
    at = 0
    while at < n:
        tl.store(x_ptr + at, 1.0)
        at: tl.int32 = at + 1


@triton.jit
def waits_for_memory(x_ptr, n, BLOCK: tl.constexpr):
    while tl.load(x_ptr) < n:
        tl.store(x_ptr, tl.load(x_ptr) + 1.0)


@triton.jit
def polls_by_a_plain_load(x_ptr, n, BLOCK: tl.constexpr):
    while tl.load(x_ptr) < n:
        pass


def run(kernel: Any, n: int = 100) -> torch.Tensor:
    x = torch.zeros(n)
    with Tracer():
        kernel[(2,)](x, n, BLOCK=32)
    return x


@pytest.mark.parametrize(
    ("kernel", "said"),
    [
        (sets_in_place_of_adding, "at, which its condition depends on, is the same after an iteration"),
        (never_moves, "no iteration assigns anything that its condition depends on"),
        (polls_by_a_plain_load, "no iteration assigns anything that its condition depends on"),
        (moves_another, "no iteration assigns anything that its condition depends on"),
    ],
    ids=lambda item: item if isinstance(item, str) else item.__name__,
)
def test_what_never_ends_is_told_at_the_loop(kernel: Any, said: str) -> None:
    with pytest.raises(KernelError) as caught:
        run(kernel)
    assert caught.value.code == "endless-loop"
    assert caught.value.message == said
    lines = kernel.src.splitlines()
    assert lines[(caught.value.line or 0) - kernel.starting_line_number - 1].strip().startswith("while")


@pytest.mark.parametrize(
    "kernel", [ends_by_a_flag, says_its_type, waits_for_memory], ids=lambda kernel: kernel.__name__
)
def test_what_ends_does(kernel: Any) -> None:
    x = run(kernel)
    assert x[0] == (100 if kernel is waits_for_memory else 1)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("while i < n:\n    i += 1", ("i",)),
        ("while more:\n    i += 1\n    more = i < n", ("i", "more")),
        ("while i < n:\n    if p:\n        i += 1\n    p = q", ("i", "p")),
        ("while i < n:\n    for j in range(k):\n        i += 1\n    k = 2", ("i", "k")),
        ("while i < n:\n    i: tl.int32 = i + 1", ("i",)),
        ("while i < n:\n    x = 1", ()),
        ("while i < tl.load(p):\n    x = 1", ()),
        ("while i < tl.load(p, volatile=True):\n    x = 1", None),
        ("while i < tl.load(p):\n    tl.store(p, x)", None),
        ("while i < n:\n    i = helper(i)", None),
    ],
)
def test_what_decides(text: str, names: tuple[str, ...] | None) -> None:
    (loop,) = ast.parse(text).body
    assert isinstance(loop, ast.While)
    assert deciding(loop.test, loop.body) == names
