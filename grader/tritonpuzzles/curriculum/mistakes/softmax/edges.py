"""Mistakes at the end of a row: masked lanes, last columns, last tiles. x: (n_rows, n_cols) float32."""

from __future__ import annotations

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Tile
from tritonpuzzles.curriculum.mistakes.softmax.common import (
    FIRST,
    FLOORED,
    FLOORED_COUNT,
    LOAD,
    LOOP,
    MAX,
    MISTAKES,
    STORE,
    SUM,
    maximum,
    normalised,
    padded,
    total,
)


@MISTAKES.add(
    "masked-lanes-as-zero",
    "The lanes past the end of the row hold 0 and count as columns. Each adds exp(0 - {m}) to the sum, and 0 becomes "
    "the maximum of a row that is negative throughout.",
    'Load with other=-float("inf"): it wins no maximum and adds nothing to a sum.',
    r"tl\.load\(.*other\s*=\s*[-+]?0(\.0*)?\s*[,)]",
    LOAD,
    by_text=True,
)
def masked_lanes_as_zero(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Softmax of the row padded with zeros."""
    return _softmax_of_padded(inputs, tile, 0.0)


@MISTAKES.add(
    "masked-lanes-in-the-sum",
    "The lanes past the end of the row do not touch the maximum but do enter the sum, each as exp(0 - {m}) or as 1.",
    "Let masked lanes be -inf until after exp, or zero them with tl.where before tl.sum.",
    SUM,
)
def masked_lanes_in_the_sum(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The maximum of the row, the sum of the padded row."""
    (x,) = inputs
    m = maximum(x)
    return normalised(x, m, torch.exp(padded(x, tile.cols, 0.0) - m).sum(dim=1, keepdim=True))


@MISTAKES.add(
    "masked-lanes-too-high",
    "The lanes past the end of the row hold a number that is low and not low enough: a row that lies far below it has "
    "its largest value, and its sum, in lanes that are not there.",
    'Load with other=-float("inf"): no row lies below it.',
    r"\bother\s*=\s*-",
    LOAD,
    unless=(r"\bother\s*=|\btl\.where\([^,]*(?:<|mask)", r"-\s*(?:float\(\s*[\"']inf|math\.inf|torch\.inf)|[\"']-inf"),
    by_text=True,
)
def masked_lanes_at_minus_1e9(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Softmax of the row padded with -1e9."""
    return _softmax_of_padded(inputs, tile, -1e9)


@MISTAKES.also("masked-lanes-too-high")
def masked_lanes_at_minus_1e30(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Softmax of the row padded with -1e30."""
    return _softmax_of_padded(inputs, tile, -1e30)


@MISTAKES.also("masked-lanes-too-high")
def masked_lanes_at_minus_10000(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Softmax of the row padded with -10,000."""
    return _softmax_of_padded(inputs, tile, -1e4)


@MISTAKES.also("masked-lanes-too-high")
def masked_lanes_at_minus_1000(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Softmax of the row padded with -1,000."""
    return _softmax_of_padded(inputs, tile, -1e3)


def _softmax_of_padded(inputs: tuple[Tensor, ...], tile: Tile, value: float) -> Tensor:
    (x,) = inputs
    filled = padded(x, tile.cols, value)
    return normalised(filled, maximum(filled))[:, : x.shape[1]]


@MISTAKES.add(
    "zero-sum-hidden",
    "A row of -inf alone comes out as 0 and must be NaN, as 0 / 0 is in PyTorch: its sum is not 0 here. It starts "
    "above 0, or something is added to it, or put in its place, before the division.",
    "Start the sum at 0.0, and divide by it as it is.",
    r"\+\s*1e-",
    r"==\s*0",
    r"^\s*\w+\s*=\s*1(?:\.0*)?\s*$|tl\.(?:full\([^)]*\)?,\s*1(?:\.0*)?\b|ones\()",
    STORE,
)
def zero_sum_hidden(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The softmax, and 0 in rows of -inf."""
    (x,) = inputs
    return torch.where(torch.isneginf(maximum(x)), 0.0, torch.softmax(x, dim=1))


@MISTAKES.add(
    "last-column-left-out-of-max",
    "The maximum misses the last column. A spike there overflows.",
    "Use the same mask, {cols} < {n_cols}, for the maximum as for the rest.",
    MAX,
    loses="m",
)
def last_column_left_out_of_max(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m = max(x[:-1])."""
    (x,) = inputs
    m = maximum(x[:, :-1]) if x.shape[1] > 1 else torch.full_like(x, -torch.inf)
    return normalised(x, m)


@MISTAKES.add(
    "last-column-left-out-of-sum",
    "The sum misses the last column. Every other probability of the row is too large.",
    "Use the same mask, {cols} < {n_cols}, for the sum as for the rest.",
    SUM,
)
def last_column_left_out_of_sum(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """l = sum(exp(x - m)[:-1])."""
    (x,) = inputs
    m = maximum(x)
    return normalised(x, m, torch.exp(x[:, :-1] - m).sum(dim=1, keepdim=True))


@MISTAKES.add(
    "tail-skipped",
    "The last, partial tile is left out of the maximum and the sum, or never written: a loop covers whole tiles only.",
    "Round the number of tiles up: {all_tiles}.",
    FLOORED_COUNT,
    FLOORED,
    LOOP,
    by_text=True,
)
def tail_skipped(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m and l over whole tiles only; a row shorter than a tile leaves them as they start."""
    (x,) = inputs
    whole = x[:, : x.shape[1] // tile.cols * tile.cols]
    if not whole.shape[1]:
        start = torch.full_like(x[:, :1], FIRST)
        return normalised(x, start, torch.zeros_like(start))
    m = maximum(whole)
    return normalised(x, m, total(whole, m))


@MISTAKES.also("tail-skipped")
def tail_skipped_from_minus_inf(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The same, where the maximum starts at -inf: such a row is inf - inf."""
    (x,) = inputs
    return torch.full_like(x, torch.nan) if x.shape[1] < tile.cols else tail_skipped(inputs, tile)


@MISTAKES.also("tail-skipped")
def tail_not_stored(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The same, and the tail is never written."""
    (x,) = inputs
    y = tail_skipped(inputs, tile)
    y[:, x.shape[1] // tile.cols * tile.cols :] = torch.nan
    return y


@MISTAKES.also("tail-skipped")
def tail_only_not_stored(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Maximum and sum are right, and the tail is never written."""
    (x,) = inputs
    y = torch.softmax(x, dim=1)
    y[:, x.shape[1] // tile.cols * tile.cols :] = torch.nan
    return y


@MISTAKES.also("tail-skipped")
def tail_not_summed(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The maximum is right, and the sum is that of whole tiles."""
    (x,) = inputs
    m = maximum(x)
    return normalised(x, m, total(_whole(x, tile), m))


@MISTAKES.also("tail-skipped")
def tail_not_in_the_maximum(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The maximum is that of whole tiles, from the smallest finite number on, and the sum has all."""
    (x,) = inputs
    return normalised(x, _of_whole_tiles(x, tile, FIRST))


@MISTAKES.also("tail-skipped")
def tail_not_in_the_maximum_from_minus_inf(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The same, from -inf on."""
    (x,) = inputs
    return normalised(x, _of_whole_tiles(x, tile, -torch.inf))


def _whole(x: Tensor, tile: Tile) -> Tensor:
    return x[:, : x.shape[1] // tile.cols * tile.cols]


def _of_whole_tiles(x: Tensor, tile: Tile, start: float) -> Tensor:
    whole = _whole(x, tile)
    return maximum(whole).clamp_min(start) if whole.shape[1] else torch.full_like(x[:, :1], start)


@MISTAKES.add(
    "last-block-skipped",
    "The last tile is left out, whole or not: the loop ends one tile early.",
    "End after the tile that holds the last column: {all_tiles}.",
    LOOP,
)
def last_block_skipped(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Softmax of all tiles but the last, which is never written."""
    (x,) = inputs
    kept = (x.shape[1] - 1) // tile.cols * tile.cols
    y = torch.full_like(x, torch.nan)
    if kept:
        y[:, :kept] = torch.softmax(x[:, :kept], dim=1)
    return y


@MISTAKES.also("last-block-skipped")
def last_block_not_summed(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The sum leaves the last tile out, and every column is written."""
    (x,) = inputs
    kept = (x.shape[1] - 1) // tile.cols * tile.cols
    m = maximum(x)
    return normalised(x, m, total(x[:, :kept], m))


@MISTAKES.add(
    "values-shifted",
    "Every value stands one column beside its place.",
    "Load and store with the same offsets.",
    STORE,
)
def values_shifted(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The right values, one column on."""
    (x,) = inputs
    return torch.softmax(x, dim=1).roll(1, dims=1)


@MISTAKES.add(
    "masked-lanes-as-inf",
    "The lanes past the end of the row hold +inf, which is their maximum too: inf - inf is NaN, and the row is lost.",
    'Load with other=-float("inf"), with the minus.',
    LOAD,
    unless=(r"\bother\s*=", r"\bother\s*=\s*(?:-|float\(\s*[\"']-)"),
)
def masked_lanes_as_inf(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Softmax of the row padded with +inf."""
    return _softmax_of_padded(inputs, tile, torch.inf)


@MISTAKES.add(
    "row-not-scaled",
    "A program's rows are told apart by the row's number alone: program 1 starts one element after program 0, in the "
    "midst of the first row.",
    "Start row r at x_ptr + r * x_row_stride, and pass x.stride(0) as that stride.",
    r"_ptr\w*\s*\+",
    r"program_id",
)
def row_not_scaled(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Row r of the softmax is that of the columns from element r on, of rows without gaps."""
    (x,) = inputs
    n_rows, n_cols = x.shape
    rows, columns = torch.arange(n_rows)[:, None], torch.arange(n_cols)
    return torch.softmax(x.reshape(-1)[(rows + columns).clamp_max(x.numel() - 1)], dim=1)
