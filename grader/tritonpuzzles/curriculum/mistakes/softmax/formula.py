"""Mistakes of the formula itself: maximum, axis, sum, division. x: (n_rows, n_cols) float32."""

from __future__ import annotations

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Tile
from tritonpuzzles.curriculum.mistakes.softmax.common import (
    DIVISION,
    MAX,
    MISTAKES,
    STORE,
    SUM,
    WHOLE_MAX,
    maximum,
    normalised,
)


@MISTAKES.add(
    "max-starts-at-zero",
    "The maximum is never below 0: it starts there, is held there, or masked lanes hold 0. Far below it every exp "
    "underflows and the row becomes 0 / 0.",
    "Start the maximum at the smallest finite float32, -3.4028234663852886e38; give masked lanes -inf.",
    r"^\s*{m}\s*=\s*(?:0(?:\.0*)?\s*$|tl\.zeros\(|tl\.full\(.*,\s*0(?:\.0*)?\s*[,)])",
    r"tl\.maximum\(.*,\s*0(\.0*)?\s*\)|(\bm|max)\w*\s*=\s*(0|tl\.zeros)|other\s*=\s*0|tl\.where\(.*,\s*0(\.0*)?\)",
    by_text=True,
    loses="m",
)
def max_starts_at_zero(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m = max(0, max(x))."""
    (x,) = inputs
    return normalised(x, maximum(x).clamp_min(0))


@MISTAKES.add(
    "max-starts-too-high",
    "The maximum starts at a number that is low and not low enough: every exp of a row that lies far below it "
    "underflows, and the row becomes 0 / 0.",
    "Start the maximum at the smallest finite float32, -3.4028234663852886e38.",
    r"m\w*\s*=.*-\s*\d",
    loses="m",
)
def max_starts_at_minus_1e9(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m = max(-1e9, max(x))."""
    return _from(inputs, -1e9)


@MISTAKES.also("max-starts-too-high")
def max_starts_at_minus_1e30(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m = max(-1e30, max(x))."""
    return _from(inputs, -1e30)


@MISTAKES.also("max-starts-too-high")
def max_starts_at_minus_1e6(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m = max(-1e6, max(x))."""
    return _from(inputs, -1e6)


@MISTAKES.also("max-starts-too-high")
def max_starts_at_minus_10000(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m = max(-10,000, max(x))."""
    return _from(inputs, -1e4)


@MISTAKES.also("max-starts-too-high")
def max_starts_at_minus_1000(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m = max(-1,000, max(x))."""
    return _from(inputs, -1e3)


def _from(inputs: tuple[Tensor, ...], start: float) -> Tensor:
    (x,) = inputs
    return normalised(x, maximum(x).clamp_min(start))


@MISTAKES.add(
    "log-sum-added-to-max",
    "log(sum) is added to the maximum before the two are subtracted. Beside a large maximum nothing of it is left, for "
    "float32 keeps 24 bits.",
    "Subtract the maximum first: exp({x} - {m} - log({l})), or divide by {l}.",
    r"tl\.log2?\(",
)
def log_sum_added_to_max(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """exp(x - (m + log(l)))."""
    (x,) = inputs
    m = maximum(x)
    return torch.exp(x - (m + torch.log(torch.exp(x - m).sum(dim=1, keepdim=True))))


@MISTAKES.add(
    "one-max-for-the-tile",
    "One maximum is taken for all the rows of a tile. Rows that lie far below it underflow to 0 / 0.",
    "Reduce along the columns only: tl.max({x}, axis=1) gives one maximum for each row.",
    WHOLE_MAX,
    MAX,
    by_text=True,
)
def one_max_for_the_tile(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m = max over all rows of the tile."""
    (x,) = inputs
    tops = [maximum(part).amax().expand(part.shape[0], 1) for part in torch.split(x, max(tile.rows, 1))]
    return normalised(x, torch.cat(tops))


@MISTAKES.add(
    "one-sum-for-the-tile",
    "One sum is taken for all the rows of a tile. Every row must sum to 1 by itself.",
    "Reduce along the columns only: tl.sum(x, axis=1) gives one sum for each row.",
    r"tl\.sum\((?!.*(axis\s*=\s*1|,\s*1\s*\)))",
    SUM,
    by_text=True,
)
def one_sum_for_the_tile(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """l = sum over all rows of the tile."""
    (x,) = inputs
    numerator = torch.exp(x - maximum(x))
    return torch.cat([part / part.sum() for part in torch.split(numerator, max(tile.rows, 1))])


@MISTAKES.add(
    "not-normalised",
    "The result is exp(x - max) and is never divided by the row's sum.",
    "Divide by the sum before you store.",
    STORE,
    unless=(STORE, DIVISION),
)
def not_normalised(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """exp(x - m)."""
    (x,) = inputs
    return torch.exp(x - maximum(x))


@MISTAKES.add(
    "divided-twice",
    "The result is divided by the row's sum twice.",
    "Divide once, where you store.",
    DIVISION,
)
def divided_twice(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """exp(x - m) / l / l."""
    (x,) = inputs
    numerator = torch.exp(x - maximum(x))
    l = numerator.sum(dim=1, keepdim=True)
    return numerator / l / l


@MISTAKES.add(
    "quotient-inverted",
    "The quotient stands upside down: the sum is divided by the exponentials.",
    "Divide the exponentials by their sum: tl.exp({x} - {m}) / {l}.",
    DIVISION,
)
def quotient_inverted(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """l / exp(x - m)."""
    (x,) = inputs
    numerator = torch.exp(x - maximum(x))
    return numerator.sum(dim=1, keepdim=True) / numerator


@MISTAKES.add(
    "divided-by-n-cols",
    "The result is divided by the number of columns in place of the sum of the exponentials.",
    "Divide by tl.sum of the exponentials.",
    DIVISION,
)
def divided_by_n_cols(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """exp(x - m) / n_cols."""
    (x,) = inputs
    return torch.exp(x - maximum(x)) / x.shape[1]


@MISTAKES.add(
    "log-softmax",
    "The result is the logarithm of the softmax: x - max - log(sum).",
    "Store exp(x - max) / sum.",
    r"tl\.log2?\(",
)
def log_softmax(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """x - m - log(l)."""
    (x,) = inputs
    return torch.log_softmax(x, dim=1)


@MISTAKES.add(
    "wrong-axis",
    "The softmax runs down the columns in place of along the rows.",
    "One program holds one row: its offsets are row * x_row_stride + cols.",
    r"program_id",
)
def wrong_axis(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Softmax along dimension 0."""
    (x,) = inputs
    return torch.softmax(x, dim=0)


@MISTAKES.also("wrong-axis")
def wrong_axis_of_the_tile(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Softmax along dimension 0 of each tile."""
    (x,) = inputs
    return torch.cat([torch.softmax(part, dim=0) for part in torch.split(x, max(tile.rows, 1))])


@MISTAKES.add(
    "statistic-stored",
    "Every column of a row gets the same number, the row's sum or its maximum: it is stored in place of the "
    "probabilities.",
    "Store exp(x - max) / sum.",
    STORE,
)
def sum_stored(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """l in every column."""
    (x,) = inputs
    return torch.exp(x - maximum(x)).sum(dim=1, keepdim=True).expand(x.shape)


@MISTAKES.also("statistic-stored")
def maximum_stored(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m in every column."""
    (x,) = inputs
    return maximum(x).expand(x.shape)


@MISTAKES.also("one-sum-for-the-tile")
def one_max_and_sum_for_the_tile(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Maximum and sum over all rows of the tile."""
    (x,) = inputs
    groups = torch.split(x, max(tile.rows, 1))
    numerators = [torch.exp(part - maximum(part).amax()) for part in groups]
    return torch.cat([numerator / numerator.sum() for numerator in numerators])
