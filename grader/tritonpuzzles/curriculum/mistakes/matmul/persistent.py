"""Mistakes of programs that go on from tile to tile. a: (m, k), b: (k, n) float32."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Tile
from tritonpuzzles.curriculum.mistakes.matmul.common import (
    ACC,
    DOT,
    MISTAKES,
    START,
    Inputs,
    activated,
    blocks_of,
    tiled,
    untiled,
)
from tritonpuzzles.curriculum.mistakes.matmul.places import MOST_TILES, grouped, height_of


@MISTAKES.add(
    "sums-of-the-last-tile",
    "A program that goes on from tile to tile begins each with the sums of the one before: its accumulator is cleared "
    "once, and not for each tile.",
    "Set {acc} to 0 where a tile begins: inside the loop over tiles, before the turns along K.",
    START,
    ACC,
    DOT,
)
def sums_kept(inputs: Inputs, tile: Tile) -> Tensor:
    """Each tile's sums and those of all tiles that its program has had before."""
    return activated(_kept(inputs, tile, lambda sums: sums), tile)


@MISTAKES.also("sums-of-the-last-tile")
def activated_sums_kept(inputs: Inputs, tile: Tile) -> Tensor:
    """The same where the activation has changed what is kept."""
    return activated(_kept(inputs, tile, lambda sums: activated(sums, tile)), tile)


def _kept(inputs: Inputs, tile: Tile, then: Callable[[Tensor], Tensor]) -> Tensor:
    """Return the sums of programs that take every n-th tile, in groups, and begin with what `then` leaves."""
    (a, b), blocks = inputs, blocks_of(tile)
    sums = tiled(a @ b, blocks)
    rows, cols = sums.shape[:2]
    if tile.programs < rows * cols <= MOST_TILES:
        tall = [height_of(number, rows, cols, blocks.group) for number in range(rows * cols)]
        places = [grouped(number, cols, blocks.group, high, high) for number, high in enumerate(tall)]
        for before, now in zip(places, places[tile.programs :], strict=False):
            sums[now] += then(sums[before])
    return untiled(sums, inputs)
