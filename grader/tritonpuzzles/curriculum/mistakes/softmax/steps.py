"""Mistakes of a loop's end and step: one turn, or turns that overlap. x: (n_rows, n_cols) float32."""

from __future__ import annotations

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Tile
from tritonpuzzles.curriculum.mistakes.softmax.common import (
    COUNTED,
    FIRST,
    LOOP,
    MISTAKES,
    WITHOUT_START,
    maximum,
    normalised,
    total,
    turns_of,
)

HALF = r"^\s*for\b.*range\(.*//\s*2"  # a step of half a tile
TWICE = r"^\s*for\b.*range\(.*(\b2\s*\*|\*\s*2\b|\+\s*[A-Z]\w*\s*\))"  # a step of two tiles


@MISTAKES.add(
    "first-tile-only",
    "Only the beginning of a row is looked at, or written: there is no loop, it ends after so many columns as there "
    "are tiles, or its columns leave out where a tile starts.",
    "Let the loop end at {n_cols}, range(0, {n_cols}, {BLOCK}), and its columns begin at the tile: {start} + "
    "tl.arange().",
    COUNTED,
    WITHOUT_START,
    LOOP,
    still=True,
)
def first_tile_alone(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The softmax of what the turns reach, and nothing written behind it."""
    (x,) = inputs
    seen = _reached(x, tile)
    return torch.cat([torch.softmax(seen, dim=1), torch.full_like(x[:, seen.shape[1] :], torch.nan)], dim=1)


@MISTAKES.also("first-tile-only")
def first_tile_stored(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Maximum and sum are right; what the turns do not reach is never written."""
    (x,) = inputs
    y = torch.softmax(x, dim=1)
    y[:, _reached(x, tile).shape[1] :] = torch.nan
    return y


@MISTAKES.also("first-tile-only")
def first_tile_seen(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Maximum and sum are those of what the turns reach, and every column is written."""
    (x,) = inputs
    seen = _reached(x, tile)
    m = maximum(seen).clamp_min(FIRST)
    return normalised(x, m, total(seen, m))


@MISTAKES.also("first-tile-only")
def first_tile_summed(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The maximum is right, and the sum is that of what the turns reach."""
    (x,) = inputs
    m = maximum(x)
    return normalised(x, m, total(_reached(x, tile), m))


def _reached(x: Tensor, tile: Tile) -> Tensor:
    """Return the columns of range(0, cdiv(n_cols, BLOCK_SIZE), BLOCK_SIZE): one tile, but of very long rows."""
    return x[:, : -(-turns_of(x, tile) // tile.cols) * tile.cols]


@MISTAKES.add(
    "tiles-overlap",
    "Each turn moves on by less than a tile, by one column or by half a tile: columns count several times, and where "
    "the turns are counted the end of the row is not reached.",
    "Move on by a tile: range(0, {n_cols}, {BLOCK}), or {cols} = turn * {BLOCK} + tl.arange(0, {BLOCK}).",
    HALF,
    COUNTED,
    LOOP,
    moving=True,
)
def tiles_one_column_apart(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Maximum, sum and store over tiles that begin at columns 0, 1, 2, ..."""
    (x,) = inputs
    return _end_unwritten(_summed_in_overlapping_tiles(x, tile), tile)


@MISTAKES.also("tiles-overlap")
def tiles_one_column_apart_but_stored_right(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Maximum and sum alone over such tiles."""
    (x,) = inputs
    return _summed_in_overlapping_tiles(x, tile)


@MISTAKES.also("tiles-overlap")
def tiles_one_column_apart_where_stored(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Maximum and sum are right; the end of the row is not written."""
    return _end_unwritten(torch.softmax(inputs[0], dim=1), tile)


@MISTAKES.also("tiles-overlap")
def tiles_half_a_tile_apart(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Tiles that begin at columns 0, T / 2, T, ...: all columns behind the first half tile count twice in the sum."""
    (x,) = inputs
    m = maximum(x)
    return normalised(x, m, total(x, m) + total(x[:, max(1, tile.cols // 2) :], m))


def _end_unwritten(y: Tensor, tile: Tile) -> Tensor:
    """Leave out what lies behind the last of the overlapping tiles."""
    y[:, tile.cols + turns_of(y, tile) - 1 :] = torch.nan
    return y


def _summed_in_overlapping_tiles(x: Tensor, tile: Tile) -> Tensor:
    """Return the softmax whose column c counts once for each tile that it lies in."""
    turns, columns = turns_of(x, tile), torch.arange(x.shape[1])
    times = torch.minimum(columns, torch.tensor(turns - 1)) - (columns - tile.cols + 1).clamp_min(0) + 1
    m = maximum(x[:, : tile.cols + turns - 1]).clamp_min(FIRST)
    seen = times > 0
    return normalised(x, m, (torch.exp(x[:, seen] - m) * times[seen]).sum(dim=1, keepdim=True))


@MISTAKES.add(
    "every-other-tile",
    "Every other tile is left out: the loop's step is twice the tile.",
    "Move on by one tile in every turn: the step of the range is the width of the tile.",
    TWICE,
    LOOP,
)
def every_other_tile(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Tiles 0, 2, 4, ... in every pass; the others are never written."""
    return _others_unwritten(every_other_tile_seen(inputs, tile), tile)


@MISTAKES.also("every-other-tile")
def every_other_tile_seen(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Maximum and sum are those of tiles 0, 2, 4, ..., and every column is written."""
    (x,) = inputs
    seen = x[:, _in_turn(x, tile)]
    m = maximum(seen).clamp_min(FIRST)
    return normalised(x, m, total(seen, m))


@MISTAKES.also("every-other-tile")
def every_other_tile_summed(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The maximum is right, and the sum is that of tiles 0, 2, 4, ..."""
    (x,) = inputs
    m = maximum(x)
    return normalised(x, m, total(x[:, _in_turn(x, tile)], m))


@MISTAKES.also("every-other-tile")
def every_other_tile_compared(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The maximum is that of tiles 0, 2, 4, ...; the sum has all, and overflows where a tile between is far above."""
    (x,) = inputs
    return normalised(x, maximum(x[:, _in_turn(x, tile)]).clamp_min(FIRST))


@MISTAKES.also("every-other-tile")
def every_other_tile_stored(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Maximum and sum are right."""
    return _others_unwritten(torch.softmax(inputs[0], dim=1), tile)


def _in_turn(x: Tensor, tile: Tile) -> Tensor:
    """Return which columns lie in tiles 0, 2, 4, ..."""
    return torch.arange(x.shape[1]) // tile.cols % 2 == 0


def _others_unwritten(y: Tensor, tile: Tile) -> Tensor:
    y[:, ~_in_turn(y, tile)] = torch.nan
    return y
