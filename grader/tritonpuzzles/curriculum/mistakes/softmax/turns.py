"""Mistakes of a loop's turns: done too early, once too seldom, on the same tile. x: (n_rows, n_cols) float32."""

from __future__ import annotations

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Tile
from tritonpuzzles.curriculum.mistakes.softmax.common import (
    FIRST,
    LATE,
    LOAD,
    LOOP,
    MAX,
    MISTAKES,
    STORE,
    SUM,
    WITHOUT_START,
    maximum,
    normalised,
    online_state,
    padded,
    tiles,
    total,
    turns_of,
)
from tritonpuzzles.curriculum.mistakes.softmax.one_tile import max_of_last_tile


@MISTAKES.add(
    "stored-in-the-loop",
    "Every tile is stored in the loop that sums, with the maximum and the sum of the tiles until there: only the last "
    "tile knows the whole row.",
    "Finish the loop over the row before the first tl.store; the results need a loop of their own.",
    STORE,
)
def stored_while_summing(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The row's maximum; the sum of the tiles until there."""
    (x,) = inputs
    numerators = list(tiles(torch.exp(x - maximum(x)), tile.cols))
    sums = torch.cat([part.sum(dim=1, keepdim=True) for part in numerators], dim=1).cumsum(dim=1)
    return torch.cat([part / sums[:, number, None] for number, part in enumerate(numerators)], dim=1)


@MISTAKES.also("stored-in-the-loop")
def stored_while_maximum_and_sum_run(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Maximum and sum of the tiles until there."""
    (x,) = inputs
    m, l = torch.full_like(x[:, :1], FIRST), torch.zeros_like(x[:, :1])
    stored = []
    for part in tiles(x, tile.cols):
        m_new = torch.maximum(m, maximum(part))
        l = l * torch.exp(m - m_new) + total(part, m_new)
        m = m_new
        stored.append(torch.exp(part - m) / l)
    return torch.cat(stored, dim=1)


@MISTAKES.add(
    "first-tile-in-every-turn",
    "A loop loads the first tile in every turn, wherever the turn begins.",
    "Load at {cols} = {start} + tl.arange(0, {BLOCK}), in every pass.",
    WITHOUT_START,
    LOAD,
    still=True,
)
def first_tile_stored_in_every_turn(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Maximum and sum are right, and the last pass reads the first tile again and again."""
    (x,) = inputs
    m = maximum(x)
    return torch.exp(_first_tiles(x, tile.cols) - m) / total(x, m)


@MISTAKES.also("first-tile-in-every-turn")
def first_tile_summed_in_every_turn(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The maximum is right, and the sum is that of the first tile in every turn."""
    (x,) = inputs
    m = maximum(x)
    return normalised(x, m, total(_first_tiles(x, tile.cols), m))


@MISTAKES.also("first-tile-in-every-turn")
def first_tile_seen_in_every_turn(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Maximum and sum are those of the first tile, once for each turn; what is stored is right."""
    (x,) = inputs
    seen = _first_tiles(x, tile.cols)
    m = maximum(seen)
    return normalised(x, m, total(seen, m))


@MISTAKES.also("first-tile-in-every-turn")
def first_tile_whole_in_every_turn(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The same, where the first tile counts as a whole in the last turn, too."""
    (x,) = inputs
    seen = x[:, : tile.cols]
    m = maximum(seen).clamp_min(FIRST)
    return normalised(x, m, total(seen, m) * turns_of(x, tile))


@MISTAKES.also("first-tile-in-every-turn")
def first_tile_in_every_turn_of_every_pass(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Stored there again and again, too: nothing is written behind it."""
    y = first_tile_whole_in_every_turn(inputs, tile)
    y[:, tile.cols :] = torch.nan
    return y


def _first_tiles(x: Tensor, cols: int) -> Tensor:
    """Return the first tile over and over, in the shape of x."""
    return x[:, torch.arange(x.shape[1]) % cols]


@MISTAKES.add(
    "first-tile-skipped",
    "The first tile is left out: no turn of a loop takes it.",
    "Let a turn begin at column 0: the first one, or where a loop goes backwards the last.",
    LATE,
    LOOP,
)
def first_tile_not_seen(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Maximum and sum without the first tile; a row of one tile leaves them as they start."""
    return _without_the_first(inputs, tile, FIRST)


@MISTAKES.also("first-tile-skipped")
def first_tile_not_seen_from_minus_inf(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The same, where the maximum starts at -inf."""
    return _without_the_first(inputs, tile, -torch.inf)


def _without_the_first(inputs: tuple[Tensor, ...], tile: Tile, start: float) -> Tensor:
    (x,) = inputs
    m = _of_the_rest(x, tile, start)
    return normalised(x, m, total(x[:, tile.cols :], m))


def _of_the_rest(x: Tensor, tile: Tile, start: float) -> Tensor:
    """Return the maximum of all tiles but the first, or where it starts if there is no other."""
    rest = x[:, tile.cols :]
    return maximum(rest).clamp_min(start) if rest.shape[1] else torch.full_like(x[:, :1], start)


@MISTAKES.also("first-tile-skipped")
def first_tile_not_summed(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The maximum is right, the sum lacks the first tile."""
    (x,) = inputs
    m = maximum(x)
    return normalised(x, m, total(x[:, tile.cols :], m))


@MISTAKES.also("first-tile-skipped")
def first_tile_not_in_the_maximum(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The maximum lacks the first tile, from the smallest finite number on, and the sum has all."""
    (x,) = inputs
    return normalised(x, _of_the_rest(x, tile, FIRST))


@MISTAKES.also("first-tile-skipped")
def first_tile_not_in_the_maximum_from_minus_inf(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The same, from -inf on."""
    (x,) = inputs
    return normalised(x, _of_the_rest(x, tile, -torch.inf))


@MISTAKES.also("first-tile-skipped")
def first_tile_not_stored(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Maximum and sum are right, and the first tile is never written."""
    (x,) = inputs
    return _but_the_first(torch.softmax(x, dim=1), tile)


@MISTAKES.also("first-tile-skipped")
def first_tile_in_no_pass(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Maximum and sum lack the first tile, which is never written either."""
    return _but_the_first(first_tile_not_seen(inputs, tile), tile)


def _but_the_first(y: Tensor, tile: Tile) -> Tensor:
    y[:, : tile.cols] = torch.nan
    return y


@MISTAKES.add(
    "max-per-lane",
    "Every lane keeps a maximum of its own over the tiles, and each column is taken relative to that of its lane.",
    "Join the lanes: {m} = tl.maximum({m}, tl.max({x}, {axis})).",
    r"^    \w+\s*=\s*\w+\s*$",  # behind a loop, where tl.max belongs
    r"tl\.maximum\(",
    by_text=True,
)
def max_per_lane(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m is each lane's own; a lane that is masked in every tile gives -inf - (-inf)."""
    return _per_lane(inputs, tile, -torch.inf)


@MISTAKES.also("max-per-lane")
def max_per_lane_from_first(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The same from the smallest finite number on."""
    return _per_lane(inputs, tile, FIRST)


def _per_lane(inputs: tuple[Tensor, ...], tile: Tile, start: float) -> Tensor:
    (x,) = inputs
    lanes = padded(x, tile.cols, -torch.inf).reshape(x.shape[0], -1, tile.cols)
    tops = lanes.nan_to_num(-torch.inf, torch.inf, -torch.inf).amax(dim=1, keepdim=True).clamp_min(start)
    numerator = torch.exp(lanes - tops).reshape(x.shape[0], -1)
    return (numerator / numerator.sum(dim=1, keepdim=True))[:, : x.shape[1]]


@MISTAKES.add(
    "max-never-kept",
    "The new maximum is never kept: without {m} = {m_new}, {m} stays where it started, and every turn rescales by "
    "exp({m} - {m_new}), which is 0.",
    "End each turn with {m} = {m_new}.",
    MAX,
    loses="m",
)
def max_never_kept(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The sum is the last tile's, and the result is taken relative to the start: inf."""
    return _relative_to_the_start(inputs, tile, FIRST)


@MISTAKES.also("max-never-kept")
def max_never_kept_from_minus_inf(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The same, from -inf on."""
    return _relative_to_the_start(inputs, tile, -torch.inf)


def _relative_to_the_start(inputs: tuple[Tensor, ...], tile: Tile, start: float) -> Tensor:
    (x,) = inputs
    last = list(tiles(x, tile.cols))[-1]
    return normalised(x, torch.full_like(x[:, :1], start), total(last, maximum(last).clamp_min(start)))


@MISTAKES.also("max-never-kept")
def only_the_last_tile_counts(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The same, where the result is taken relative to the last tile's maximum."""
    (x,) = inputs
    last = list(tiles(x, tile.cols))[-1]
    m = maximum(last).clamp_min(FIRST)
    return normalised(x, m, total(last, m))


RESET = r"^\s{8,}\w+\s*=\s*(?:-\s*(?:float\(|\d|math\.inf)|float\(\s*[\"']-|tl\.full\()"


@MISTAKES.add(
    "max-reset-in-the-loop",
    "The maximum is set back to its start in every turn of the loop: what the tiles before have given is lost, and "
    "only the last tile's is subtracted.",
    "Give it its start once, in front of the loop.",
    RESET,
    needs=RESET,
    loses="m",
)
def max_reset_online(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The old sum is rescaled by exp(start - m_new), which is 0: the last tile's maximum and sum."""
    return only_the_last_tile_counts(inputs, tile)


MISTAKES.also("max-reset-in-the-loop")(max_of_last_tile)  # in a pass of its own


@MISTAKES.add(
    "factor-without-exp",
    "The old sum is multiplied by {m_old} - {m_new} itself: exp is missing in the factor.",
    "The factor is tl.exp({m_old} - {m_new}).",
    SUM,
)
def factor_without_exp(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """l = l * (m - m_new) + ..."""
    (x,) = inputs
    return normalised(x, *online_state(x, tile, lambda m, m_new: m - m_new))
