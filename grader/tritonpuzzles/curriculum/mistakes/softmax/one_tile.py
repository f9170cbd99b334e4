"""Mistakes of one tile that stands for all: its maximum, its sum. x: (n_rows, n_cols) float32."""

from __future__ import annotations

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Tile
from tritonpuzzles.curriculum.mistakes.softmax.common import (
    DIVISION,
    FIRST,
    MAX,
    MISTAKES,
    SUM,
    ZEROED,
    maximum,
    normalised,
    tiles,
    total,
)


@MISTAKES.add(
    "max-of-last-tile",
    "Only the last tile's maximum is subtracted: each tile overwrites the maximum of those before. An earlier, larger "
    "value overflows.",
    "Keep the larger of the two: {m} = tl.maximum({m}, tl.max({x}, {axis})).",
    MAX,
    loses="m",
)
def max_of_last_tile(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m = max(last tile)."""
    (x,) = inputs
    return normalised(x, maximum(list(tiles(x, tile.cols))[-1]))


@MISTAKES.also("max-of-last-tile")
def max_of_last_tile_online(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m is each tile's own, and the sum is rescaled to it, upwards too."""
    (x,) = inputs
    m, l = torch.full_like(x[:, :1], FIRST), torch.zeros_like(x[:, :1])
    for part in tiles(x, tile.cols):
        top = maximum(part)
        l = l * torch.exp(m - top) + total(part, top)
        m = top
    return normalised(x, m, l)


@MISTAKES.add(
    "own-max-in-last-pass",
    "The last pass subtracts each tile's own maximum, and divides by a sum that belongs to the row's.",
    "Subtract the row's maximum in the last pass, too.",
    r"-\s*tl\.max\(|tl\.store\(",
)
def max_of_each_tile_in_the_end(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The sum is right, and the last pass subtracts each tile's own maximum."""
    (x,) = inputs
    l = total(x, maximum(x))
    return torch.cat([torch.exp(part - maximum(part)) / l for part in tiles(x, tile.cols)], dim=1)


@MISTAKES.add(
    "max-of-first-tile",
    "Only the first tile's maximum is subtracted. A larger value further on overflows.",
    "Take the maximum over every tile of the row before you use it.",
    MAX,
    loses="m",
)
def max_of_first_tile(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m = max(first tile)."""
    (x,) = inputs
    return normalised(x, maximum(next(tiles(x, tile.cols))))


@MISTAKES.add(
    "sum-of-last-tile",
    "The sum holds the last tile only: in every turn, what was summed before is lost.",
    "Start the sum at 0 before the loop, and nowhere in it; in the loop add to it: {l} += tl.sum(...).",
    ZEROED,
    SUM,
    by_text=True,
)
def sum_of_last_tile(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """l = sum(last tile)."""
    (x,) = inputs
    m = maximum(x)
    last = list(tiles(x, tile.cols))[-1]
    return normalised(x, m, torch.exp(last - m).sum(dim=1, keepdim=True))


@MISTAKES.add(
    "normalised-per-tile",
    "Every tile is normalised by itself, with its own maximum and sum, and the row sums to its number of tiles.",
    "Finish the maximum and the sum over the whole row before the first store.",
    DIVISION,
)
def normalised_per_tile(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Softmax of each tile."""
    (x,) = inputs
    return torch.cat([torch.softmax(part, dim=1) for part in tiles(x, tile.cols)], dim=1)


@MISTAKES.also("normalised-per-tile")
def normalised_by_tile_sums(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The row's maximum, and each tile's own sum."""
    (x,) = inputs
    numerators = tiles(torch.exp(x - maximum(x)), tile.cols)
    return torch.cat([part / part.sum(dim=1, keepdim=True) for part in numerators], dim=1)
