"""`and`, `or` and `not` as the compiler takes them: element by element on tensors, early only for what is constant."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import triton
import triton.language as tl

from tritonpuzzles.engine.interpreter import KernelError, Tracer

N, BLOCK = 50, 64


@triton.jit
def joined(x_ptr, y_ptr, n, BLOCK: tl.constexpr, KIND: tl.constexpr):
    i = tl.arange(0, BLOCK)
    inside, even, small = i < n, i % 2 == 0, i < 10
    if KIND == 0:
        mask = inside and even
    elif KIND == 1:
        mask = inside and (even or small)
    elif KIND == 2:
        mask = not even and inside and not small
    elif KIND == 3:
        mask = inside and KIND == 3 and even
    else:
        mask = KIND == 0 or inside
    x = tl.load(x_ptr + i, mask=mask, other=-1.0)
    tl.store(y_ptr + i, x, mask=inside)


@pytest.mark.parametrize("kind", range(5))
def test_masks_are_joined_element_by_element(kind: int) -> None:
    x, y, i = torch.rand(N), torch.empty(N), torch.arange(N)
    even, small = i % 2 == 0, i < 10
    masks = [even, even | small, ~even & ~small, even, torch.ones(N, dtype=torch.bool)]
    with Tracer() as tracer:
        joined[(1,)](x, y, N, BLOCK=BLOCK, KIND=kind)
    assert torch.equal(y, torch.where(masks[kind], x, -1.0))
    assert tracer.facts == []


@triton.jit
def both_sides(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    for i in range(BLOCK):
        if i < n and tl.load(x_ptr + i) > 0:
            tl.store(y_ptr + i, 1.0)


def test_a_scalar_load_behind_and_happens_all_the_same() -> None:
    x, y = torch.ones(N), torch.zeros(N)
    with Tracer() as tracer:
        both_sides[(1,)](x, y, N, BLOCK=BLOCK)
    assert torch.equal(y, torch.ones(N))
    assert {finding.code for finding in tracer.facts} == {"out-of-bounds-load"}


@triton.jit
def by_program(x_ptr, y_ptr, n, flag, OFF: tl.constexpr):
    pid = tl.program_id(0)
    if (pid > 2 and pid < n - 2) or pid == 0:
        tl.store(y_ptr + pid, 1.0)
    elif not (flag or pid == 1):
        tl.store(y_ptr + pid, 2.0)
    if OFF and tl.load(x_ptr + 10**6) > 0:  # never evaluated: OFF is known
        tl.store(y_ptr + pid, 3.0)


@pytest.mark.parametrize("flag", [0, 1])
def test_scalars_decide_for_each_program(flag: int) -> None:
    x, y = torch.ones(N), torch.zeros(N)
    with Tracer() as tracer:
        by_program[(N,)](x, y, N, flag == 1, OFF=False)
    expected = [1.0 if 2 < i < N - 2 or i == 0 else 0.0 if flag or i == 1 else 2.0 for i in range(N)]
    assert y.tolist() == expected
    assert tracer.facts == []


@triton.jit
def if_on_a_tile(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    if i < n:  # here
        x = tl.load(x_ptr + i)
        tl.store(y_ptr + i, x)


@triton.jit
def while_on_a_tile(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    while i < n:  # here
        tl.store(y_ptr + i, tl.load(x_ptr + i))
        i += BLOCK


@pytest.mark.parametrize("kernel", [if_on_a_tile, while_on_a_tile])
def test_a_tile_has_no_truth_value_and_is_told_at_its_line(kernel: Any) -> None:
    with pytest.raises(KernelError, match="Boolean value of Tensor") as caught, Tracer() as tracer:
        kernel[(2,)](torch.rand(N), torch.empty(N), N, BLOCK=BLOCK)
    marked = next(n for n, text in enumerate(kernel.raw_src) if "# here" in text)
    assert caught.value.line == kernel.starting_line_number + marked
    assert tracer.facts == []
