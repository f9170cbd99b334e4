"""Mistakes of a loop's end and step: one turn, or turns that overlap. x: (n_rows, n_cols) float32."""

from __future__ import annotations

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Tile
from tritonpuzzles.curriculum.mistakes.softmax.common import COUNTED, FIRST, LOOP, MISTAKES, maximum, normalised, total

WITHOUT_START = r"^\s{8,}\w+\s*=\s*tl\.arange\("  # in a loop


@MISTAKES.add(
    "first-tile-only",
    "Only the beginning of a row is looked at, or written: there is no loop, it ends after so many columns as there "
    "are tiles, or its columns leave out where a tile starts.",
    "Let the loop end at n_cols, range(0, n_cols, BLOCK_SIZE), and its columns begin at the tile: start + tl.arange().",
    COUNTED,
    WITHOUT_START,
    LOOP,
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


def _turns(x: Tensor, tile: Tile) -> int:
    return -(-x.shape[1] // tile.cols)


def _reached(x: Tensor, tile: Tile) -> Tensor:
    """Return the columns of range(0, cdiv(n_cols, BLOCK_SIZE), BLOCK_SIZE): one tile, but of very long rows."""
    return x[:, : -(-_turns(x, tile) // tile.cols) * tile.cols]


@MISTAKES.add(
    "tiles-overlap",
    "Each turn moves on by one column, or not at all, in place of a tile: columns count several times, and the end "
    "of the row is not reached.",
    "Move on by a tile: range(0, n_cols, BLOCK_SIZE), or cols = turn * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE).",
    COUNTED,
    LOOP,
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


def _end_unwritten(y: Tensor, tile: Tile) -> Tensor:
    """Leave out what lies behind the last of the overlapping tiles."""
    y[:, tile.cols + _turns(y, tile) - 1 :] = torch.nan
    return y


def _summed_in_overlapping_tiles(x: Tensor, tile: Tile) -> Tensor:
    """Return the softmax whose column c counts once for each tile that it lies in."""
    turns, columns = _turns(x, tile), torch.arange(x.shape[1])
    times = torch.minimum(columns, torch.tensor(turns - 1)) - (columns - tile.cols + 1).clamp_min(0) + 1
    m = maximum(x[:, : tile.cols + turns - 1]).clamp_min(FIRST)
    seen = times > 0
    return normalised(x, m, (torch.exp(x[:, seen] - m) * times[seen]).sum(dim=1, keepdim=True))
