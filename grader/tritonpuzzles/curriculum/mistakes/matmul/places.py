"""Mistakes of which tile is whose: offsets left out, numbers exchanged, groups. a: (m, k), b: (k, n) float32."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Tile
from tritonpuzzles.curriculum.mistakes.matmul.common import (
    MISTAKES,
    PID_M,
    PID_N,
    UNWRITTEN,
    Inputs,
    blocks_of,
    product,
    right,
    tiled,
    untiled,
)

OFFSETS = r"tl\.arange\("
MOST_TILES = 4096  # of a kernel whose constants tell no size of its tiles
GROUPS = r"\b(min|minimum|GROUP\w*)\b"
Numbered = Callable[[int, int, int, int], tuple[int, int]]  # pid, rows and columns of tiles, group -> the tile


@MISTAKES.add(
    "first-tile-loaded",
    "Every program loads the first rows of a, or the first columns of b: its offsets do not hold its own tile's start.",
    "rows = pid_m * BLOCK_M + tl.arange(0, BLOCK_M) and cols = pid_n * BLOCK_N + tl.arange(0, BLOCK_N), in the loads "
    "as in the store.",
    rf"ptr\w*\s*\+.*{OFFSETS}",
    OFFSETS,
)
def first_rows_for_all(inputs: Inputs, tile: Tile) -> Tensor:
    """The first tile of rows of a, for all."""
    a, b = inputs
    return product(a[torch.arange(a.shape[0]) % blocks_of(tile).m], b, tile)


@MISTAKES.also("first-tile-loaded")
def first_columns_for_all(inputs: Inputs, tile: Tile) -> Tensor:
    """The first tile of columns of b, for all."""
    a, b = inputs
    return product(a, b[:, torch.arange(b.shape[1]) % blocks_of(tile).n], tile)


@MISTAKES.also("first-tile-loaded")
def first_rows_and_columns_for_all(inputs: Inputs, tile: Tile) -> Tensor:
    """Both."""
    (a, b), blocks = inputs, blocks_of(tile)
    return product(a[torch.arange(a.shape[0]) % blocks.m], b[:, torch.arange(b.shape[1]) % blocks.n], tile)


@MISTAKES.add(
    "tiles-exchanged",
    "A program loads one tile's rows and columns and stores another's: pid_m and pid_n are exchanged on one side.",
    "pid_m counts rows of tiles and pid_n columns, in the loads as in the store.",
    PID_M,
    PID_N,
    OFFSETS,
)
def tiles_exchanged(inputs: Inputs, tile: Tile) -> Tensor:
    """Rows by pid_n and columns by pid_m, stored by pid_m and pid_n; what lies outside is 0."""
    (a, b), blocks = inputs, blocks_of(tile)
    whole = tiled(product(a, b, tile), blocks)
    found = torch.zeros_like(whole)
    size = min(whole.shape[:2])
    found[:size, :size] = whole[:size, :size].transpose(0, 1)
    return untiled(found, inputs)


def _written(inputs: Inputs, tile: Tile, numbered: Numbered) -> Tensor:
    """Return the product where programs write it, each the tile that `numbered` gives it."""
    blocks = blocks_of(tile)
    whole = tiled(right(inputs, tile), blocks)
    found, (rows, cols) = torch.full_like(whole, UNWRITTEN), whole.shape[:2]
    if rows * cols > MOST_TILES or rows * cols != tile.programs:  # then it is the grid that leaves tiles out, or a loop
        return untiled(whole, inputs)
    for pid in range(rows * cols):
        m, n = numbered(pid, rows, cols, blocks.group)
        if 0 <= m < rows and 0 <= n < cols:
            found[m, n] = whole[m, n]
    return untiled(found, inputs)


@MISTAKES.add(
    "last-group-not-lowered",
    "The last group of tiles has fewer rows than the others, and its programs are numbered as if it had as many: some "
    "of its tiles are nobody's.",
    "A group has min({tiles_m} - its first row of tiles, {GROUP_M}) rows of tiles, and both % and // inside of it go "
    "by that number.",
    r"=\s*GROUP\w*\s*$",  # height = GROUP_M
    r"(?:%|//)\s*GROUP\w*\b(?!\s*\*)",
    GROUPS,
    needs=r"%|swizzle2d",  # a place in a group
)
def last_group_as_high(inputs: Inputs, tile: Tile) -> Tensor:
    """GROUP_M in place of the group's height, in both."""
    return _written(inputs, tile, lambda pid, rows, cols, group: grouped(pid, cols, group, group, group))


@MISTAKES.also("last-group-not-lowered")
def last_group_as_high_in_the_rows(inputs: Inputs, tile: Tile) -> Tensor:
    """GROUP_M in place of the height in the number of the row."""

    def numbered(pid: int, rows: int, cols: int, group: int) -> tuple[int, int]:
        return grouped(pid, cols, group, group, height_of(pid, rows, cols, group))

    return _written(inputs, tile, numbered)


@MISTAKES.also("last-group-not-lowered")
def last_group_as_high_in_the_columns(inputs: Inputs, tile: Tile) -> Tensor:
    """GROUP_M in place of the height in the number of the column."""

    def numbered(pid: int, rows: int, cols: int, group: int) -> tuple[int, int]:
        return grouped(pid, cols, group, height_of(pid, rows, cols, group), group)

    return _written(inputs, tile, numbered)


def grouped(pid: int, cols: int, group: int, by_row: int, by_column: int) -> tuple[int, int]:
    """Return a program's tile, with what its number in the group is divided by for the row and for the column."""
    number, within = divmod(pid, group * cols)
    return number * group + within % by_row, within // by_column


def height_of(pid: int, rows: int, cols: int, group: int) -> int:
    """Return how many rows of tiles a program's group has."""
    return max(1, min(rows - pid // (group * cols) * group, group))


@MISTAKES.add(
    "tiles-left-out",
    "Some tiles are nobody's, and others are written twice: a program's number is divided by the wrong count of "
    "tiles, or // and % stand in each other's place.",
    "Row by row, a tile's row is {pid} // {tiles_n} and its column {pid} % {tiles_n}; a group has "
    "{GROUP_M} * {tiles_n} programs.",
    PID_M,
    PID_N,
    GROUPS,
)
def divided_by_the_rows(inputs: Inputs, tile: Tile) -> Tensor:
    """pid_m = pid // tiles_m, pid_n = pid % tiles_m."""
    return _written(inputs, tile, lambda pid, rows, cols, group: divmod(pid, rows))


@MISTAKES.also("tiles-left-out")
def place_in_the_whole_grid(inputs: Inputs, tile: Tile) -> Tensor:
    """pid in place of the number within the group, in the row."""

    def numbered(pid: int, rows: int, cols: int, group: int) -> tuple[int, int]:
        height = height_of(pid, rows, cols, group)
        return pid // (group * cols) * group + pid % height, pid % (group * cols) // height

    return _written(inputs, tile, numbered)


@MISTAKES.also("tiles-left-out")
def swizzled_from_the_rows(inputs: Inputs, tile: Tile) -> Tensor:
    """tl.swizzle2d of pid // tiles_m and pid % tiles_m."""

    def numbered(pid: int, rows: int, cols: int, group: int) -> tuple[int, int]:
        row, col = divmod(pid, rows)
        number = row * cols + col
        height = height_of(number, rows, cols, group)
        return grouped(number, cols, group, height, height)

    return _written(inputs, tile, numbered)


@MISTAKES.also("tiles-left-out")
def groups_of_rows_of_tiles(inputs: Inputs, tile: Tile) -> Tensor:
    """A group of GROUP_M * tiles_m programs."""

    def numbered(pid: int, rows: int, cols: int, group: int) -> tuple[int, int]:
        return grouped(pid, rows, group, height_of(pid, rows, rows, group), height_of(pid, rows, rows, group))

    return _written(inputs, tile, numbered)


@MISTAKES.also("tiles-left-out")
def group_not_scaled(inputs: Inputs, tile: Tile) -> Tensor:
    """The group's number in place of its first row."""

    def numbered(pid: int, rows: int, cols: int, group: int) -> tuple[int, int]:
        number, within = divmod(pid, group * cols)
        height = max(1, min(rows - number, group))
        return number + within % height, within // height

    return _written(inputs, tile, numbered)


@MISTAKES.also("first-tile-loaded")
def tile_not_scaled(inputs: Inputs, tile: Tile) -> Tensor:
    """Rows and columns that begin at pid_m and pid_n themselves, in the loads alone."""
    (a, b), blocks = inputs, blocks_of(tile)
    return product(_unscaled(a, blocks.m), _unscaled(b.mT, blocks.n).mT, tile)


def _unscaled(x: Tensor, height: int) -> Tensor:
    rows = torch.arange(x.shape[0])
    return x[rows // height + rows % height]
