"""Which launches are compiled: the largest tiles of each dtype, but none that an assembler works on for a minute."""

from __future__ import annotations

import pytest
import torch
import triton
import triton.language as tl

from tritonpuzzles.engine.compiler import Launch
from tritonpuzzles.engine.cpu import MOST_COMPILED, telling


@triton.jit
def copy(x_ptr, y_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets))


def launch(block: int) -> Launch:
    x = torch.empty(1)
    return Launch(copy, {"x_ptr": x, "y_ptr": x, "BLOCK": block}, {})


@pytest.mark.parametrize(
    ("blocks", "compiled"),
    [
        ([4, 16, 8], {4, 16}),
        ([4, MOST_COMPILED, 2 * MOST_COMPILED], {4, MOST_COMPILED}),
        ([2 * MOST_COMPILED], {2 * MOST_COMPILED}),
    ],
)
def test_the_largest_ordinary_tile_is_compiled(blocks: list[int], compiled: set[int]) -> None:
    assert {found.arguments["BLOCK"] for found in telling([launch(block) for block in blocks])} == compiled
