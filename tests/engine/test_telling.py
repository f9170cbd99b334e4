"""Which launches are different programs, and which are compiled whole: none that ptxas works on for a minute."""

from __future__ import annotations

import pytest
import torch
import triton
import triton.language as tl

from tritonpuzzles.compiler import Launch
from tritonpuzzles.engine.variants import MOST_COMPILED, distinct, telling


@triton.jit
def copy(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, mask=mask), mask=mask)


def launch(block: int, n: int = 1) -> Launch:
    x = torch.empty(1)
    return Launch(copy, {"x_ptr": x, "y_ptr": x, "n": n, "BLOCK": block}, {})


@pytest.mark.parametrize(
    ("blocks", "compiled"),
    [
        ([4, 16, 8], {4, 16}),
        ([4, MOST_COMPILED, 2 * MOST_COMPILED], {4, MOST_COMPILED}),
        ([2 * MOST_COMPILED], {2 * MOST_COMPILED}),
    ],
)
def test_the_largest_ordinary_tile_is_compiled(blocks: list[int], compiled: set[int]) -> None:
    alike = {"a": [launch(block) for block in blocks]}
    assert {found.arguments["BLOCK"] for found in telling(alike)} == compiled


def test_a_kernel_for_longer_rows_is_not_compiled_beside_one_for_short_rows() -> None:
    short, long = launch(4, n=100), launch(8, n=140_000)
    assert telling({"a": [short, long]}) == [short]
    assert telling({"a": [long]}) == [long]
    assert telling({"a": [short], "b": [long]}) == [short, long]  # another program, which nothing else stands for


def test_constants_types_options_and_ones_make_programs() -> None:
    first = launch(4, n=100)
    others = [
        launch(8, n=100),
        launch(4, n=1),
        Launch(copy, {**first.arguments, "x_ptr": torch.empty(1, dtype=torch.float16)}, {}),
        Launch(copy, first.arguments, {"num_warps": 8}),
    ]
    assert distinct([first, launch(4, n=101), *others]) == [first, *others]
