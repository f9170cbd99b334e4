"""What wrong softmax kernels compute. x: (n_rows, n_cols) float32; tiles cut the columns, and sometimes the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Mistakes, Tile

MISTAKES = Mistakes()
SUM, MAX, EXP, STORE, LOAD = r"tl\.sum\(", r"tl\.max(imum)?\(", r"tl\.exp2?\(", r"tl\.store\(", r"tl\.load\("
DIVISION, LOOP = r"[^/]/[^/]", r"^\s*(for|while)\b"


def _maximum(x: Tensor) -> Tensor:
    return x.amax(dim=1, keepdim=True)


def _normalised(x: Tensor, m: Tensor, l: Tensor | None = None) -> Tensor:
    numerator = torch.exp(x - m)
    return numerator / (numerator.sum(dim=1, keepdim=True) if l is None else l)


def _tiles(x: Tensor, cols: int) -> Iterator[Tensor]:
    return iter(torch.split(x, cols, dim=1))


def _padded(x: Tensor, cols: int, value: float) -> Tensor:
    """Return x with its last tile filled up, as a load with that `other=` gives it."""
    return torch.nn.functional.pad(x, (0, -x.shape[1] % cols), value=value)


@MISTAKES.add(
    "no-max-subtraction",
    "The row's maximum is not subtracted before exp. Above 88.7 exp overflows float32 and the row becomes inf / inf; "
    "far below 0 every exp is 0 and it becomes 0 / 0.",
    "Subtract the row's maximum from x before tl.exp.",
    EXP,
)
def no_max_subtraction(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """exp(x) / sum(exp(x))."""
    (x,) = inputs
    return _normalised(x, torch.zeros_like(x[:, :1]))


@MISTAKES.add(
    "sum-not-rescaled",
    "The running sum is not rescaled when the running maximum grows. What was summed before belongs to the smaller "
    "maximum and is too large by exp(m_new - m_old).",
    "Multiply the old sum by exp(m_old - m_new) before you add the tile's own.",
    SUM,
)
def sum_not_rescaled(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """l += sum(exp(x - m_new)), without alpha."""
    (x,) = inputs
    return _normalised(x, *_online(x, tile, lambda m, m_new: torch.ones_like(m)))


@MISTAKES.also("sum-not-rescaled")
def lanes_not_rescaled(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Every lane keeps a maximum and a sum of its own; the sums are added up without being rescaled."""
    (x,) = inputs
    lanes = _padded(x, tile.cols, -torch.inf).reshape(x.shape[0], -1, tile.cols)
    tops = lanes.amax(dim=1, keepdim=True).clamp_min(FIRST)
    return _normalised(x, _maximum(x), torch.exp(lanes - tops).sum(dim=(1, 2))[:, None])


@MISTAKES.add(
    "rescaled-the-wrong-way",
    "The old sum is multiplied by exp(m_new - m_old), the inverse of the right factor. It grows where it must shrink.",
    "The factor is exp(m_old - m_new): never above 1.",
    EXP,
)
def rescaled_the_wrong_way(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """l = l * exp(m_new - m) + ..."""
    (x,) = inputs
    return _normalised(x, *_online(x, tile, lambda m, m_new: torch.exp(m_new - m)))


@MISTAKES.add(
    "nan-from-minus-inf",
    "The running maximum starts at -inf. Where the first tile is all -inf, m_old - m_new is -inf - (-inf) = NaN, "
    "and the row is lost.",
    "Start m at the smallest finite float32, or take alpha as 0 where m_old is -inf.",
    r"-\s*float\(.inf.\)",
)
def nan_from_minus_inf(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m starts at -inf."""
    (x,) = inputs
    m = torch.full_like(x[:, :1], -torch.inf)
    l = torch.zeros_like(m)
    for part in _tiles(x, tile.cols):
        m_new = torch.maximum(m, _maximum(part))
        l = l * torch.exp(m - m_new) + _total(part, m_new)
        m = m_new
    return _normalised(x, m, l)


@MISTAKES.add(
    "new-terms-rescaled-too",
    "The factor is applied to the sum after the tile's own terms were added. Those already belong to the new maximum.",
    "l = l * alpha + tl.sum(...): rescale the old sum alone.",
    SUM,
)
def new_terms_rescaled_too(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """l = (l + sum) * alpha."""
    (x,) = inputs
    m, l = None, torch.zeros_like(x[:, :1])
    for part in _tiles(x, tile.cols):
        m_new = _maximum(part) if m is None else torch.maximum(m, _maximum(part))
        l = (l + _total(part, m_new)) * (1 if m is None else torch.exp(m - m_new))
        m = m_new
    return _normalised(x, _maximum(x), l)


@MISTAKES.add(
    "terms-relative-to-old-max",
    "A tile's terms are taken relative to the maximum before the tile, and then counted as relative to the new one.",
    "Update the maximum first: the tile's own terms are exp(x - m_new).",
    EXP,
)
def terms_relative_to_old_max(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """l = l * alpha + sum(exp(x - m_old))."""
    (x,) = inputs
    m, l = None, torch.zeros_like(x[:, :1])
    for part in _tiles(x, tile.cols):
        m_new = _maximum(part) if m is None else torch.maximum(m, _maximum(part))
        l = _total(part, m_new) if m is None else l * torch.exp(m - m_new) + _total(part, m)
        m = m_new
    return _normalised(x, _maximum(x), l)


@MISTAKES.add(
    "sum-starts-at-one",
    "The running sum starts at 1 and the maximum at 0, as if a column with value 0 stood before the row.",
    "Start the sum at 0.",
    r"l\w*\s*=\s*1",
)
def sum_starts_at_one(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m = 0 and l = 1 before the loop."""
    (x,) = inputs
    m = _maximum(x).clamp_min(0)
    return _normalised(x, m, _total(x, m) + torch.exp(-m))


FIRST = torch.finfo(torch.float32).min
Factor = Callable[[Tensor, Tensor], Tensor]


def _total(x: Tensor, m: Tensor) -> Tensor:
    return torch.exp(x - m).sum(dim=1, keepdim=True)


def _online(x: Tensor, tile: Tile, factor: Factor, running: bool = True) -> tuple[Tensor, Tensor]:
    """Return m and l after the online loop with this factor; without `running`, m is each tile's own."""
    m, l = torch.full_like(x[:, :1], FIRST), torch.zeros_like(x[:, :1])
    for number, part in enumerate(_tiles(x, tile.cols)):
        top = _maximum(part).clamp_min(FIRST)
        m_new = torch.maximum(m, top) if running else top
        l = (l * factor(m, m_new) if number else l) + _total(part, m_new)
        m = m_new
    return m, l


@MISTAKES.add(
    "max-of-last-tile",
    "Only the last tile's maximum is subtracted: each tile overwrites the maximum of those before. An earlier, larger "
    "value overflows.",
    "Keep the larger of the two: m = tl.maximum(m, tl.max(x, axis=0)).",
    MAX,
)
def max_of_last_tile(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m = max(last tile)."""
    (x,) = inputs
    return _normalised(x, _maximum(list(_tiles(x, tile.cols))[-1]))


@MISTAKES.also("max-of-last-tile")
def max_of_last_tile_online(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m is each tile's own, and the sum is rescaled to it, upwards too."""
    (x,) = inputs
    m, l = torch.full_like(x[:, :1], FIRST), torch.zeros_like(x[:, :1])
    for part in _tiles(x, tile.cols):
        top = _maximum(part)
        l = l * torch.exp(m - top) + _total(part, top)
        m = top
    return _normalised(x, m, l)


@MISTAKES.also("max-of-last-tile")
def max_of_each_tile_in_the_end(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The sum is right, and the last pass subtracts each tile's own maximum."""
    (x,) = inputs
    l = _total(x, _maximum(x))
    return torch.cat([torch.exp(part - _maximum(part)) / l for part in _tiles(x, tile.cols)], dim=1)


@MISTAKES.add(
    "max-of-first-tile",
    "Only the first tile's maximum is subtracted. A larger value further on overflows.",
    "Take the maximum over every tile of the row before you use it.",
    MAX,
)
def max_of_first_tile(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m = max(first tile)."""
    (x,) = inputs
    return _normalised(x, _maximum(next(_tiles(x, tile.cols))))


@MISTAKES.add(
    "masked-lanes-as-zero",
    "The lanes past the end of the row hold 0 and count as columns. Each adds exp(0 - m) to the sum, and 0 becomes the "
    "maximum of a row that is negative throughout.",
    'Load with other=-float("inf"): it wins no maximum and adds nothing to a sum.',
    LOAD,
)
def masked_lanes_as_zero(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Softmax of the row padded with zeros."""
    (x,) = inputs
    padded = _padded(x, tile.cols, 0.0)
    return _normalised(padded, _maximum(padded))[:, : x.shape[1]]


@MISTAKES.add(
    "masked-lanes-in-the-sum",
    "The lanes past the end of the row do not touch the maximum but do enter the sum, each as exp(0 - m) or as 1.",
    "Let masked lanes be -inf until after exp, or zero them with tl.where before tl.sum.",
    SUM,
)
def masked_lanes_in_the_sum(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The maximum of the row, the sum of the padded row."""
    (x,) = inputs
    m = _maximum(x)
    return _normalised(x, m, torch.exp(_padded(x, tile.cols, 0.0) - m).sum(dim=1, keepdim=True))


@MISTAKES.add(
    "max-starts-at-zero",
    "The maximum starts at 0, so a row that is negative throughout keeps 0. Far below it every exp underflows and the "
    "row becomes 0 / 0.",
    'Start the maximum at -float("inf").',
    r"m\w*\s*=\s*(0|tl\.zeros)",
)
def max_starts_at_zero(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m = max(0, max(x))."""
    (x,) = inputs
    return _normalised(x, _maximum(x).clamp_min(0))


@MISTAKES.add(
    "one-max-for-the-tile",
    "One maximum is taken for all the rows of a tile. Rows that lie far below it underflow to 0 / 0.",
    "Reduce along the columns only: tl.max(x, axis=1) gives one maximum for each row.",
    MAX,
)
def one_max_for_the_tile(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m = max over all rows of the tile."""
    (x,) = inputs
    tops = [part.amax().expand(part.shape[0], 1) for part in torch.split(x, max(tile.rows, 1))]
    return _normalised(x, torch.cat(tops))


@MISTAKES.add(
    "one-sum-for-the-tile",
    "One sum is taken for all the rows of a tile. Every row must sum to 1 by itself.",
    "Reduce along the columns only: tl.sum(x, axis=1) gives one sum for each row.",
    SUM,
)
def one_sum_for_the_tile(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """l = sum over all rows of the tile."""
    (x,) = inputs
    numerator = torch.exp(x - _maximum(x))
    return torch.cat([part / part.sum() for part in torch.split(numerator, max(tile.rows, 1))])


@MISTAKES.add(
    "last-column-left-out-of-max",
    "The maximum misses the last column. A spike there overflows.",
    "Use the same mask, cols < n_cols, for the maximum as for the rest.",
    MAX,
)
def last_column_left_out_of_max(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m = max(x[:-1])."""
    (x,) = inputs
    m = _maximum(x[:, :-1]) if x.shape[1] > 1 else torch.full_like(x, -torch.inf)
    return _normalised(x, m)


@MISTAKES.add(
    "last-column-left-out-of-sum",
    "The sum misses the last column. Every other probability of the row is too large.",
    "Use the same mask, cols < n_cols, for the sum as for the rest.",
    SUM,
)
def last_column_left_out_of_sum(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """l = sum(exp(x - m)[:-1])."""
    (x,) = inputs
    m = _maximum(x)
    return _normalised(x, m, torch.exp(x[:, :-1] - m).sum(dim=1, keepdim=True))


@MISTAKES.add(
    "tail-skipped",
    "The last, partial tile is left out of the maximum and the sum: the loop runs over whole tiles only.",
    "Round the number of tiles up: range(0, n_cols, BLOCK_SIZE) or tl.cdiv(n_cols, BLOCK_SIZE).",
    LOOP,
)
def tail_skipped(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m and l over whole tiles only."""
    (x,) = inputs
    whole = x[:, : x.shape[1] // tile.cols * tile.cols]
    if not whole.shape[1]:
        return torch.full_like(x, torch.nan)
    m = _maximum(whole)
    return _normalised(x, m, torch.exp(whole - m).sum(dim=1, keepdim=True))


@MISTAKES.also("tail-skipped")
def tail_skipped_from_nothing(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The same, where a row shorter than a tile leaves maximum and sum as they started: exp(x - FIRST) / 0."""
    (x,) = inputs
    return torch.full_like(x, torch.inf) if x.shape[1] < tile.cols else tail_skipped(inputs, tile)


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


@MISTAKES.add(
    "sum-of-last-tile",
    "The sum holds the last tile only: each tile overwrites what was summed before.",
    "Add to the sum: l += tl.sum(...), starting from 0 before the loop.",
    SUM,
)
def sum_of_last_tile(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """l = sum(last tile)."""
    (x,) = inputs
    m = _maximum(x)
    last = list(_tiles(x, tile.cols))[-1]
    return _normalised(x, m, torch.exp(last - m).sum(dim=1, keepdim=True))


@MISTAKES.add(
    "normalised-per-tile",
    "Every tile is normalised by itself, with its own maximum and sum, and the row sums to its number of tiles.",
    "Finish the maximum and the sum over the whole row before the first store.",
    DIVISION,
)
def normalised_per_tile(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Softmax of each tile."""
    (x,) = inputs
    return torch.cat([torch.softmax(part, dim=1) for part in _tiles(x, tile.cols)], dim=1)


@MISTAKES.also("normalised-per-tile")
def normalised_by_tile_sums(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The row's maximum, and each tile's own sum."""
    (x,) = inputs
    numerators = _tiles(torch.exp(x - _maximum(x)), tile.cols)
    return torch.cat([part / part.sum(dim=1, keepdim=True) for part in numerators], dim=1)


@MISTAKES.add(
    "last-block-skipped",
    "The last tile is left out, whole or not: the loop ends one tile early.",
    "range(0, n_cols, BLOCK_SIZE) ends after the tile that holds the last column.",
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
    m = _maximum(x)
    return _normalised(x, m, _total(x[:, :kept], m))


@MISTAKES.add(
    "not-normalised",
    "The result is exp(x - max) and is never divided by the row's sum.",
    "Divide by the sum before you store.",
    STORE,
)
def not_normalised(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """exp(x - m)."""
    (x,) = inputs
    return torch.exp(x - _maximum(x))


@MISTAKES.add(
    "divided-twice",
    "The result is divided by the row's sum twice.",
    "Divide once, where you store.",
    DIVISION,
)
def divided_twice(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """exp(x - m) / l / l."""
    (x,) = inputs
    numerator = torch.exp(x - _maximum(x))
    l = numerator.sum(dim=1, keepdim=True)
    return numerator / l / l


@MISTAKES.add(
    "divided-by-n-cols",
    "The result is divided by the number of columns in place of the sum of the exponentials.",
    "Divide by tl.sum of the exponentials.",
    DIVISION,
)
def divided_by_n_cols(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """exp(x - m) / n_cols."""
    (x,) = inputs
    return torch.exp(x - _maximum(x)) / x.shape[1]


@MISTAKES.add(
    "wrong-sign",
    "The exponent has the wrong sign: the smallest value of the row gets the largest probability.",
    "exp(x - max), not exp(max - x) or exp(-x).",
    EXP,
)
def wrong_sign(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Softmax of -x."""
    (x,) = inputs
    return torch.softmax(-x, dim=1)


@MISTAKES.also("wrong-sign")
def overflowing_sign(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """exp(max - x), which overflows."""
    (x,) = inputs
    numerator = torch.exp(_maximum(x) - x)
    return numerator / numerator.sum(dim=1, keepdim=True)


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


@MISTAKES.add(
    "wrong-base",
    "exp2 is used on x itself: 2^(x - max) is not e^(x - max).",
    "Multiply x by log2(e) = 1.4426950408889634 before tl.exp2.",
    r"exp2\(",
)
def wrong_base(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """2^(x - m) / sum."""
    (x,) = inputs
    return torch.softmax(x * 0.6931471805599453, dim=1)


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
