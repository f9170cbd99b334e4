"""Mistakes of a program that takes one row after the other, every `tile.programs`-th. x: (n_rows, n_cols) float32."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Tile
from tritonpuzzles.curriculum.mistakes.softmax.common import FIRST, LOAD, MAX, MISTAKES, SUM, maximum, normalised, total


def in_turns(of_rows: Tensor, programs: int) -> Tensor:
    """Return values of rows, (n_rows, 1), as (turns, programs), filled up with 0."""
    return torch.nn.functional.pad(of_rows[:, 0], (0, -len(of_rows) % programs)).view(-1, programs)


def in_rows(of_turns: Tensor, n_rows: int) -> Tensor:
    """Return values of turns, (turns, programs), as those of rows, (n_rows, 1)."""
    return of_turns.reshape(-1)[:n_rows, None]


@MISTAKES.add(
    "state-kept-across-rows",
    "A program begins its second row with what is left of its first: a maximum or a sum that starts before the loop "
    "over the rows goes on through all of them.",
    "Start {m} and {l} inside the loop over the rows, or take tl.max and tl.sum of this row alone.",
    r"^\s*(l|denominator|total|sum\w*)\s*(\+=|=\s*\1\s*\+)",
    SUM,
    MAX,
)
def sum_kept(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The row's own maximum; the sum of all rows of the program until there."""
    (x,) = inputs
    m = maximum(x)
    sums = in_turns(total(x, m), tile.programs).cumsum(dim=0)
    return normalised(x, m, in_rows(sums, len(x)))


@MISTAKES.also("state-kept-across-rows", MAX)
def maximum_kept(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The maximum of all rows of the program until there; the row's own sum, which vanishes far below it."""
    (x,) = inputs
    return normalised(x, _running_maximum(x, tile.programs))


@MISTAKES.also("state-kept-across-rows")
def state_kept(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Maximum and rescaled sum of all rows of the program until there."""
    (x,) = inputs
    m = _running_maximum(x, tile.programs)
    tops, sums = in_turns(m, tile.programs), in_turns(total(x, m), tile.programs)
    for turn in range(1, len(sums)):
        sums[turn] += sums[turn - 1] * torch.exp(tops[turn - 1] - tops[turn])
    return normalised(x, m, in_rows(sums, len(x)))


@MISTAKES.also("state-kept-across-rows")
def state_kept_in_a_block(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The same, where a program's rows follow each other: as many as a constant says that fits so many programs."""
    (x,) = inputs
    least = -(-len(x) // tile.programs)
    heights = (
        size for size in sorted(tile.constants.values()) if size >= least and -(-len(x) // size) == tile.programs
    )
    parts = torch.split(x, max(1, next(heights, least)))
    return torch.cat([state_kept((part,), replace(tile, programs=1)) for part in parts])


def _running_maximum(x: Tensor, programs: int) -> Tensor:
    """Return the maximum of each row and of those before it in the same program, (n_rows, 1)."""
    return in_rows(in_turns(maximum(x).clamp_min(FIRST), programs).cummax(dim=0).values, len(x))


@MISTAKES.add(
    "first-row-in-every-turn",
    "A program loads its first row in every turn of the loop: what is stored goes on from row to row, what is loaded "
    "does not.",
    "Load at x_ptr + row * x_row_stride with the row of this turn, inside the loop.",
    LOAD,
)
def first_row_in_every_turn(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Row pid of x for every row of program pid."""
    (x,) = inputs
    return torch.softmax(x[torch.arange(len(x)) % tile.programs], dim=1)


@MISTAKES.add(
    "row-of-another-turn",
    "What is stored in a row belongs to another turn of the loop: a row that was loaded ahead takes the place of the "
    "one that is still to be stored, or is stored one turn late.",
    "Keep the row of this turn under a name of its own until it is stored; the next row takes its place behind that.",
    LOAD,
)
def row_of_the_next_turn(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Row i + programs in row i; behind the last there is -inf alone, whose softmax is NaN."""
    (x,) = inputs
    later = torch.cat([x, torch.full((tile.programs, x.shape[1]), -torch.inf)])[tile.programs :]
    return torch.softmax(later, dim=1)


@MISTAKES.also("row-of-another-turn")
def row_of_the_turn_before(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Row i - programs in row i; the first turn is right."""
    (x,) = inputs
    rows = torch.arange(len(x))
    return torch.softmax(x[torch.where(rows < tile.programs, rows, rows - tile.programs)], dim=1)


@MISTAKES.add(
    "moved-on-by-one-row",
    "A program moves its input pointer on by one row in every turn, and what it stores by as many rows as there are "
    "programs: from its second row on it reads a row of another program.",
    "Add tl.num_programs(0) * x_row_stride to the pointer in every turn.",
    r"\+=.*stride",
    r"ptrs?\w*\s*\+=",
    r"\+=",
    LOAD,
    by_text=True,
)
def moved_on_by_one_row(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Row pid + turn for row pid + turn * programs."""
    (x,) = inputs
    rows = torch.arange(len(x))
    return torch.softmax(x[rows % tile.programs + rows // tile.programs], dim=1)
