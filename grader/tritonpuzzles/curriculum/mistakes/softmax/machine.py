"""The softmax of rows as kernels compute it, in passes or online, with keywords for possible deviations.

x: (n_rows, n_cols) float32. Without keywords the result is right; elements that are not written are NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor
from torch.nn.functional import pad as fill_up

from tritonpuzzles.curriculum.expressions import cdiv
from tritonpuzzles.curriculum.mistakes import Mistakes, Tile
from tritonpuzzles.curriculum.mistakes.machines import Pairwise, Step, machine, total, turn, weight

MISTAKES = Mistakes()
INF, FIRST = torch.inf, torch.finfo(torch.float32).min
OfRows = Callable[[Tensor, Tensor, Tile], Tensor]  # of x and m: (n_rows, 1), or (n_rows, n_cols)
Factor = Callable[[Tensor, Tile, Tensor, Tensor], Tensor]  # of a tile's own maximum, and those before and after it


COLUMNS: dict[str, Callable[[int, int], slice | Tensor]] = {
    "all": lambda n, cols: slice(None),  # masked lanes too, if they hold something
    "no masked lanes": lambda n, cols: slice(n),
    "but the last column": lambda n, cols: slice(n - 1),
    "whole tiles": lambda n, cols: slice(n // cols * cols),
    "the first tile": lambda n, cols: slice(cols),
    "the last tile": lambda n, cols: slice((n - 1) // cols * cols, n),
    "but the first tile": lambda n, cols: slice(cols, None),
    "but the last tile": lambda n, cols: slice((n - 1) // cols * cols),
    "every other tile": lambda n, cols: torch.arange(n) // cols % 2 == 0,
    # range(0, cdiv(n_cols, BLOCK_SIZE), BLOCK_SIZE): one tile, except in very long rows
    "as many columns as tiles": lambda n, cols: slice(cdiv(cdiv(n, cols), cols) * cols),
    "the first tile again and again": lambda n, cols: torch.arange(n) % cols,  # to the end of the row
    "the first tile in every iteration": lambda n, cols: torch.arange(min(n, cols)).repeat(cdiv(n, cols)),
    "tiles one column apart": lambda n, cols: torch.arange(n).unfold(0, min(n, cols), 1)[: cdiv(n, cols)].flatten(),
    # 0, T / 2, T, ...: all columns past the first half tile come twice
    "tiles half a tile apart": lambda n, cols: torch.cat([torch.arange(n), torch.arange(n)[max(1, cols // 2) :]]),
}
"""Which columns a pass takes, of n and in tiles of `cols`."""


def largest(values: Tensor, dim: int = 1) -> Tensor:
    """Return the maximum along a dimension, ignoring NaN, as `tl.max` does."""
    return values.nan_to_num(-INF, INF, -INF).amax(dim=dim, keepdim=True)


def maximum(x: Tensor, start: float = -INF) -> Tensor:
    """Return each row's maximum, at least `start`, (n_rows, 1)."""
    return largest(x).clamp_min(start) if x.shape[1] else torch.full((len(x), 1), start)


def padded(x: Tensor, tile: Tile, value: float | None, dtype: torch.dtype | None = None) -> Tensor:
    """Return x with its last tile filled up, as a load with that `other=` does; unchanged for `None`.

    The value has the dtype of the inputs, or another one: -1e30 is infinite in float16, and not in float32.
    """
    if value is None:
        return x
    value = torch.tensor(value, dtype=dtype or tile.dtype).item()
    return fill_up(x, (0, -x.shape[1] % tile.cols), value=value)


def joined(values: Tensor, rows: int, reduced: Callable[[Tensor], Tensor] = largest, fill: float = -INF) -> Tensor:
    """Return values, (n_rows, n), with each tile of rows reduced along dimension 1 of (tiles, rows, n)."""
    tiles = fill_up(values, (0, 0, 0, -len(values) % rows), value=fill).reshape(-1, rows, values.shape[1])
    return reduced(tiles).expand_as(tiles).flatten(0, 1)[: len(values)]


def own_maximum(x: Tensor, m: Tensor, tile: Tile) -> Tensor:
    """Return for each column the maximum of its tile."""
    return joined(x.mT, tile.cols).mT


def own_sum(terms: Tensor, m: Tensor, tile: Tile) -> Tensor:
    """Return for each column the sum of its tile."""
    return joined(terms.mT, tile.cols, total, 0.0).mT


def lane_maximum(x: Tensor, m: Tensor, tile: Tile) -> Tensor:
    """Return for each column the maximum of its lane over all tiles."""
    return joined(x.mT, tile.cols, lambda tiles: largest(tiles, 0)).mT


def lane_sum(terms: Tensor, m: Tensor, tile: Tile) -> Tensor:
    """Return for each column the sum of its lane over all tiles."""
    return joined(terms.mT, tile.cols, lambda tiles: tiles.sum(dim=0, keepdim=True), 0.0).mT


@machine
def softmax(
    inputs: tuple[Tensor, ...],
    tile: Tile,
    *,
    loaded: Callable[[Tensor, Tile], Tensor] = lambda x, tile: x,  # what is loaded in place of x
    pad: float | None = None,  # value of masked lanes; if `None`, they are ignored
    pad_dtype: torch.dtype | None = None,  # of that value, if not that of the inputs
    seen: str = "all",  # the columns, see `COLUMNS`, for maximum and sum,
    compared: str = "",  # for the maximum only,
    summed: str = "",  # for the sum only,
    read: str = "all",  # and for the quotients
    written: str = "all",  # the columns that are stored
    start: float = -INF,  # of the maximum
    unseen: float | None = None,  # the maximum if no column is compared
    m_of: OfRows = lambda x, m, tile: m,  # the subtracted maximum, from each row's,
    m_in_sum: OfRows = lambda x, m, tile: m,  # in the second pass only,
    m_in_the_end: OfRows = lambda x, m, tile: m,  # in the last pass only
    l_of: OfRows = total,  # (terms, m) -> sum
    term: Pairwise = weight,  # in place of exp(x - m)
    term_in_sum: Pairwise | None = None,  # in the sum only
    stored: Callable[[Tensor, Tensor, Tensor], Tensor] | None = None,  # (x, m, l) -> result
) -> Tensor:
    """Return the softmax in three passes: maximum, sum, quotients."""
    (x,) = inputs
    n, cols = x.shape[1], tile.cols
    x = padded(loaded(x, tile), tile, pad, pad_dtype)
    first, second, last = (
        x if columns == "all" else x[:, COLUMNS[columns](n, cols)]
        for columns in (compared or seen, summed or seen, read)
    )
    m = m_of(x, maximum(first, start if first.shape[1] or unseen is None else unseen), tile)
    l = l_of((term_in_sum or term)(second, m_in_sum(second, m, tile)), m, tile)
    m = m_in_the_end(last, m, tile)
    quotients = (stored(last, m, l) if stored else term(last, m) / l).expand_as(last)[:, :n]
    if written == "all":
        return quotients
    y, taken = torch.full_like(quotients, torch.nan), COLUMNS[written](n, cols)
    y[:, taken] = quotients[:, taken]
    return y


@machine
def online(
    inputs: tuple[Tensor, ...],
    tile: Tile,
    *,
    pad: float | None = None,  # value of masked lanes; if `None`, they are ignored
    start: float = FIRST,  # of the maximum
    spared: bool = False,  # whether the first tile is right
    kept: Pairwise = torch.maximum,  # (old m, the tile's own) -> new m
    relative: Callable[[Tensor, Tensor, Tensor], Tensor] = lambda m, m_new, own: m_new,  # base of a tile's terms
    term: Pairwise = weight,  # in place of exp(x - m_new)
    factor: Factor = lambda own, tile, m, m_new: torch.exp(m - m_new),  # alpha
    step: Step = lambda l, alpha, p, grown: l * alpha + p,  # the new l
    rounded: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]] = lambda m, l: (m, l),  # for the next iteration
    at_once: bool = False,  # whether each tile is stored with the m and l of its iteration
) -> Tensor:
    """Return the softmax with m and l carried from tile to tile, and a pass for the quotients."""
    (x,) = inputs
    m, l, stored = torch.full_like(x[:, :1], start), torch.zeros_like(x[:, :1]), []
    for number, part in enumerate(torch.split(padded(x, tile, pad), tile.cols, dim=1)):
        own, right = maximum(part), spared and number == 0
        now = turn(
            m,
            l,
            part,
            own,
            kept=kept,
            weights=term if right else partial(_relative, term, relative, m, own),
            factor=partial(factor, own, tile),
            step=(lambda l, alpha, terms, grown: terms) if right else step,
        )
        m, l = rounded(now.m, now.l)
        if at_once:
            stored.append(weight(part, m) / l)
    return torch.cat(stored, dim=1) if at_once else weight(x, m) / l


def _relative(
    term: Pairwise, to: Callable[[Tensor, Tensor, Tensor], Tensor], m: Tensor, own: Tensor, x: Tensor, m_new: Tensor
) -> Tensor:
    """Return the terms of a tile, relative to `to` of the maxima before and after it, and of its own."""
    return term(x, to(m, m_new, own))
