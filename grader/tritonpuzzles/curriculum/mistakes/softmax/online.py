"""Mistakes of running maximum and sum: what goes from one tile to the next. x: (n_rows, n_cols) float32."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Tile
from tritonpuzzles.curriculum.mistakes.softmax.common import (
    EXP,
    FIRST,
    MAX,
    MISTAKES,
    STARTS_LOWEST,
    SUM,
    maximum,
    normalised,
    online_state,
    padded,
    tiles,
    total,
)


@MISTAKES.add(
    "sum-not-rescaled",
    "The running sum is not rescaled when the running maximum grows. What was summed before belongs to the smaller "
    "maximum and is too large by exp({m_new} - {m_old}).",
    "Multiply the old sum by exp({m_old} - {m_new}), with the maximum from before the tile; then add the tile's own.",
    SUM,
)
def sum_not_rescaled(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """l += sum(exp(x - m_new)), without alpha."""
    (x,) = inputs
    return normalised(x, *online_state(x, tile, lambda m, m_new: torch.ones_like(m)))


@MISTAKES.also(
    "sum-not-rescaled",
    r"tl\.sum\(\s*\w+\s*(,|\))",
    says="The lanes' sums are added up as they are. Each is relative to the maximum of its own lane, not to the row's.",
    next_step="Multiply each lane's sum by the exponential of its maximum less the row's, and add them then.",
)
def lanes_not_rescaled(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Every lane keeps a maximum and a sum of its own; the sums are added up without being rescaled."""
    (x,) = inputs
    lanes = padded(x, tile.cols, -torch.inf).reshape(x.shape[0], -1, tile.cols)
    tops = lanes.amax(dim=1, keepdim=True).clamp_min(FIRST)
    return normalised(x, maximum(x), torch.exp(lanes - tops).sum(dim=(1, 2))[:, None])


@MISTAKES.also(
    "sum-not-rescaled",
    says="All rows of a tile are rescaled by one factor, the largest among them: the sums of the others are too large.",
    next_step="Take a factor for each row: exp({m_old} - {m_new}), with one maximum for each.",
)
def one_factor_for_the_tile(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """All rows of a tile are rescaled by the largest factor among them: by 1 where the tile ends past the last row."""
    (x,) = inputs
    whole = torch.nn.functional.pad(x, (0, 0, 0, -x.shape[0] % tile.rows), value=-torch.inf)
    groups = torch.split(whole, tile.rows)
    return torch.cat([normalised(part, *online_state(part, tile, _largest_factor)) for part in groups])[: x.shape[0]]


def _largest_factor(m: Tensor, m_new: Tensor) -> Tensor:
    return torch.exp(m - m_new).amax().expand_as(m)


@MISTAKES.add(
    "nan-from-minus-inf",
    "The running maximum starts at -inf. While all that it has seen is -inf, {m_old} - {m_new} and {x} - {m_new} are "
    "-inf - (-inf) = NaN, and the row is lost.",
    "Start {m} at the smallest finite float32, -3.4028234663852886e38: then neither can be.",
    STARTS_LOWEST,
    r"-\s*float\(.inf.\)",
    needs=STARTS_LOWEST,
    by_text=True,
)
def nan_from_minus_inf(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m starts at -inf."""
    (x,) = inputs
    m = torch.full_like(x[:, :1], -torch.inf)
    l = torch.zeros_like(m)
    for part in tiles(x, tile.cols):
        m_new = torch.maximum(m, maximum(part))
        l = l * torch.exp(m - m_new) + total(part, m_new)
        m = m_new
    return normalised(x, m, l)


@MISTAKES.also("nan-from-minus-inf")
def nan_from_minus_inf_in_a_lane(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Each lane has a maximum of its own: one -inf in the first tile is all that its lane has seen."""
    (x,) = inputs
    lost = torch.isneginf(x[:, : tile.cols]).any(dim=1, keepdim=True)
    return torch.where(lost, torch.nan, torch.softmax(x, dim=1))


@MISTAKES.add(
    "rescaled-the-wrong-way",
    "The old sum is multiplied by exp({m_new} - {m_old}), the inverse of the right factor. It grows where it must "
    "shrink.",
    "The factor is exp({m_old} - {m_new}): never above 1.",
    r"^\s*{alpha}\s*=",
    r"\(\s*{m_new}\s*-\s*{m_old}\s*\)",
    EXP,
)
def rescaled_the_wrong_way(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """l = l * exp(m_new - m) + ..."""
    (x,) = inputs
    return normalised(x, *online_state(x, tile, lambda m, m_new: torch.exp(m_new - m)))


@MISTAKES.also("rescaled-the-wrong-way")
def rescaled_the_wrong_way_from_the_first(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The same from the first tile on: 0 * exp(m - FIRST) = 0 * inf = NaN."""
    (x,) = inputs
    return _by_steps(x, tile, lambda l, m, m_new, part: l * torch.exp(m_new - m) + total(part, m_new), False)


@MISTAKES.add(
    "stand-in-kept",
    "The 0 that stands in for a maximum of -inf is kept as the running maximum. Where all that follows lies far below "
    "0, every exp({x} - 0) vanishes.",
    "Subtract the stand-in in that turn alone, and let {m} keep the maximum itself.",
    r"tl\.where\(.*(inf|==|<)",
    MAX,
)
def stand_in_kept(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m = where(m == -inf, 0, m) in every turn, from -inf on."""
    (x,) = inputs
    m = torch.full_like(x[:, :1], -torch.inf)
    l = torch.zeros_like(m)
    for part in tiles(x, tile.cols):
        m_new = torch.maximum(m, maximum(part))
        m_new = torch.where(torch.isneginf(m_new), 0.0, m_new)
        l = l * torch.exp(m - m_new) + total(part, m_new)
        m = m_new
    return normalised(x, m, l)


@MISTAKES.add(
    "new-terms-rescaled-too",
    "The factor is applied to the sum after the tile's own terms were added. Those already belong to the new maximum.",
    "{l} = {l} * {alpha} + tl.sum(...): rescale the old sum alone.",
    SUM,
)
def new_terms_rescaled_too(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """l = (l + sum) * alpha, where the first tile is spared."""
    (x,) = inputs
    return _by_steps(x, tile, _new_terms_too)


@MISTAKES.also("new-terms-rescaled-too")
def first_terms_rescaled_too(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The same from the first tile on: its terms are multiplied by exp(FIRST - m) = 0."""
    (x,) = inputs
    return _by_steps(x, tile, _new_terms_too, spare_first=False)


@MISTAKES.add(
    "terms-relative-to-old-max",
    "A tile's terms are taken relative to the maximum before the tile, and then counted as relative to the new one.",
    "Update the maximum first: the tile's own terms are exp({x} - {m_new}).",
    rf"{SUM}.*{EXP}",
    r"tl\.exp2?\(\s*x\b",
    EXP,
)
def terms_relative_to_old_max(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """l = l * alpha + sum(exp(x - m_old)), where the first tile is spared."""
    (x,) = inputs
    return _by_steps(x, tile, _old_maximum)


@MISTAKES.also("terms-relative-to-old-max")
def first_terms_relative_to_old_max(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The same from the first tile on: its terms are exp(x - FIRST) = inf."""
    (x,) = inputs
    return _by_steps(x, tile, _old_maximum, spare_first=False)


@MISTAKES.add(
    "terms-relative-to-own-max",
    "A tile's terms are taken relative to the tile's own maximum, and then counted as relative to the running one.",
    "The tile's terms are exp({x} - {m_new}), with the maximum of all tiles until there.",
    SUM,
)
def terms_relative_to_own_max(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """l = l * alpha + sum(exp(x - max(tile)))."""
    (x,) = inputs
    return _by_steps(x, tile, _own_maximum, spare_first=False)


@MISTAKES.add(
    "summed-where-the-maximum-grows",
    "Only tiles that raise the running maximum are summed: what other tiles hold is missing from the sum.",
    "Every tile adds to the sum. Where the maximum stays, the factor is exp(0) = 1: nothing needs a condition.",
    r"^\s*if\b.*[<>]",
    r"tl\.where\(",
    SUM,
    by_text=True,
)
def summed_where_the_maximum_grows(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """l = where(m_new > m, l * alpha + sum, l)."""
    (x,) = inputs
    return _by_steps(x, tile, _where_it_grows)


Step = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]


def _where_it_grows(l: Tensor, m: Tensor, m_new: Tensor, part: Tensor) -> Tensor:
    return torch.where(m_new > m, l * torch.exp(m - m_new) + total(part, m_new), l)


def _new_terms_too(l: Tensor, m: Tensor, m_new: Tensor, part: Tensor) -> Tensor:
    return (l + total(part, m_new)) * torch.exp(m - m_new)


def _old_maximum(l: Tensor, m: Tensor, m_new: Tensor, part: Tensor) -> Tensor:
    return l * torch.exp(m - m_new) + total(part, m)


def _own_maximum(l: Tensor, m: Tensor, m_new: Tensor, part: Tensor) -> Tensor:
    return l * torch.exp(m - m_new) + total(part, maximum(part).clamp_min(FIRST))


def _by_steps(x: Tensor, tile: Tile, step: Step, spare_first: bool = True) -> Tensor:
    """Return the softmax with the sum that `step(l, m, m_new, part)` makes of it; the first tile's is right or not."""
    m, l = torch.full_like(x[:, :1], FIRST), torch.zeros_like(x[:, :1])
    for number, part in enumerate(tiles(x, tile.cols)):
        m_new = torch.maximum(m, maximum(part))
        l = total(part, m_new) if number == 0 and spare_first else step(l, m, m_new, part)
        m = m_new
    return normalised(x, m, l)


@MISTAKES.add(
    "sum-starts-at-one",
    "The running sum starts at 1 and the maximum at 0, as if a column with value 0 stood before the row.",
    "Start the sum at 0.",
    r"l\w*\s*=\s*1",
)
def sum_starts_at_one(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m = 0 and l = 1 before the loop."""
    (x,) = inputs
    m = maximum(x).clamp_min(0)
    return normalised(x, m, total(x, m) + torch.exp(-m))
