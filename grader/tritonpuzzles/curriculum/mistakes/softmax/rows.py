"""Mistakes of a program that processes several rows, every `tile.programs`-th."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor
from torch.nn.functional import pad as fill_up

from tritonpuzzles.curriculum.mistakes import Tile
from tritonpuzzles.curriculum.mistakes.lines import LOAD, MAX, STARTS, SUM
from tritonpuzzles.curriculum.mistakes.machines import total
from tritonpuzzles.curriculum.mistakes.softmax.machine import FIRST, INF, MISTAKES, OfRows, softmax


def in_turns(of_rows: Tensor, programs: int) -> Tensor:
    """Return values of rows, (n_rows, 1), as (iterations, programs), filled up with 0."""
    return fill_up(of_rows[:, 0], (0, -len(of_rows) % programs)).view(-1, programs)


def in_rows(of_turns: Tensor, n_rows: int) -> Tensor:
    """Return values of (iterations, programs) as values of rows, (n_rows, 1)."""
    return of_turns.reshape(-1)[:n_rows, None]


def maximum_over_rows(x: Tensor, m: Tensor, tile: Tile) -> Tensor:
    """Return the maximum over each row and the rows before it in the same program."""
    return in_rows(in_turns(m.clamp_min(FIRST), tile.programs).cummax(dim=0).values, len(m))


def sum_over_rows(terms: Tensor, m: Tensor, tile: Tile) -> Tensor:
    """Return the sum over each row and the rows before it in the same program."""
    return in_rows(in_turns(total(terms), tile.programs).cumsum(dim=0), len(m))


def rescaled_sum_over_rows(terms: Tensor, m: Tensor, tile: Tile) -> Tensor:
    """Return the same sum, rescaled whenever the maximum changes."""
    tops, sums = in_turns(m, tile.programs), in_turns(total(terms), tile.programs)
    for iteration in range(1, len(sums)):
        sums[iteration] += sums[iteration - 1] * torch.exp(tops[iteration - 1] - tops[iteration])
    return in_rows(sums, len(m))


def in_blocks(of_rows: OfRows) -> OfRows:
    """Return the same where each program takes consecutive rows: as many as a constant that fits the program count."""

    def of_blocks(x: Tensor, m: Tensor, tile: Tile) -> Tensor:
        least = -(-len(x) // tile.programs)
        fitting = (n for n in sorted(tile.constants.values()) if n >= least and -(-len(x) // n) == tile.programs)
        height, alone = max(1, next(fitting, least)), replace(tile, programs=1)
        parts = zip(torch.split(x, height), torch.split(m, height), strict=True)
        return torch.cat([of_rows(*part, alone) for part in parts])

    return of_blocks


MISTAKES.add(
    "state-kept-across-rows",
    "A program starts its second row with the maximum or the sum of its first row: they are set before the loop over "
    "the rows, and not again for each row.",
    "Start {m} and {l} inside the loop over the rows, or take tl.max and tl.sum of this row only.",
    *(r"^\s*(l|denominator|total|sum\w*)\s*(\+=|=\s*\1\s*\+)", SUM, MAX),
    by=softmax(l_of=sum_over_rows),
)
MISTAKES.also("state-kept-across-rows", STARTS, MAX, by=softmax(m_of=maximum_over_rows))
MISTAKES.also(
    "state-kept-across-rows",
    by=[
        softmax(m_of=maximum_over_rows, l_of=rescaled_sum_over_rows),
        softmax(m_of=in_blocks(maximum_over_rows), l_of=in_blocks(rescaled_sum_over_rows)),
    ],
)
MISTAKES.add(
    "first-row-in-every-turn",
    "A program loads its first row in every iteration of the loop: the store moves from row to row, the load does not.",
    "Load at x_ptr + row * x_row_stride with the row of this iteration, inside the loop.",
    LOAD,
    by=softmax(loaded=lambda x, tile: x[torch.arange(len(x)) % tile.programs]),
)
MISTAKES.add(
    "row-of-another-turn",
    "A row gets the result of another iteration of the loop: a row that was loaded ahead replaces the current one "
    "before it is stored, or is stored one iteration late.",
    "Keep the row of this iteration in a variable of its own until it is stored; load the next row after that.",
    LOAD,
    by=[
        softmax(loaded=lambda x, tile: fill_up(x, (0, 0, 0, tile.programs), value=-INF)[tile.programs :]),
        softmax(loaded=lambda x, tile: torch.cat([x[: tile.programs], x])[: len(x)]),
    ],
)
MISTAKES.add(
    "moved-on-by-one-row",
    "A program moves its input pointer by one row in every iteration, and its output by as many rows as there are "
    "programs: from its second row on it reads rows of other programs.",
    "Add tl.num_programs(0) * x_row_stride to the pointer in every iteration.",
    *(r"\+=.*stride", r"ptrs?\w*\s*\+=", r"\+=", LOAD),
    by=softmax(loaded=lambda x, tile: x[torch.arange(len(x)) % tile.programs + torch.arange(len(x)) // tile.programs]),
    by_text=True,
)
