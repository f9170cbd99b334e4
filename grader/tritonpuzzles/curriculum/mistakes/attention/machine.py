"""FlashAttention-2, tile by tile, with possible deviations. q, k, v: (n, d) float32.

An iteration takes `tile.cols` keys, a program `tile.rows` queries; tensors hold all programs, (programs, rows, ...).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor
from torch.nn.functional import pad

from tritonpuzzles.curriculum.mistakes import Mistakes, Tile
from tritonpuzzles.curriculum.mistakes.machines import machine, turn

MISTAKES = Mistakes()
Lanes = Callable[[Tensor, int], Tensor]
Unary = Callable[[Tensor], Tensor]
Binary = Callable[[Tensor, Tensor], Tensor]
Rounding = Callable[[Tensor, torch.dtype], Tensor]


def as_inputs(x: Tensor, dtype: torch.dtype) -> Tensor:
    """Round to the inputs' dtype, as a kernel does before a product on tensor cores."""
    return x.to(dtype).float()


@machine
def attention(
    inputs: tuple[Tensor, ...],  # q, k, v
    tile: Tile,
    *,
    given: Callable[[Tensor, Tensor, Tensor], tuple[Tensor, ...]] = lambda q, k, v: (q, k, v),  # replaces q, k, v
    square: bool = False,  # as many queries as keys in a tile, so that one may be taken for the other
    whole: bool = False,  # one tile of all queries and all keys
    keys: Lanes = lambda every, cols: every,  # in the order of the loop; n is past the end
    values: Lanes | None = None,  # likewise, if not those of the keys
    padding: float = 0.0,  # what a value past the end is
    score: Binary = lambda q, k: q @ k.mT,  # q: (programs, rows, d), k: (cols, d)
    divisor: Callable[[int, int], float] = lambda n, d: d**0.5,  # of the scores
    seen: Callable[[Tensor, Tensor, int], Tensor] = lambda queries, keys, n: keys < n,  # the scores that count
    hidden: float = -torch.inf,  # the others' score
    start: float = -torch.inf,  # of the running maximum
    running: bool = True,  # the maximum is that of all tiles so far
    max_axis: int = -1,  # -1: along the keys, -2: along the queries
    maximum_of: Unary = lambda s: s,  # what the maximum is taken of
    weights: Binary = lambda s, m: torch.exp(s - m),
    sum_axis: int = -1,
    exponent: Callable[[int], float] = lambda d: 1.0,  # what m_old - m_new is multiplied by before exp
    factor: Unary = torch.exp,  # for the earlier sums
    sum_factor: Unary | None = None,  # the sum's own
    acc_factor: Unary | None = None,  # the accumulator's own
    late: tuple[str, ...] = (),  # of "l" and "acc": those whose new terms are rescaled too
    divided: str = "",  # "p" or "acc", in every iteration, by the sum so far
    rounded: Rounding = lambda x, dtype: x,  # of weights and values, before their product
    kept: Unary = lambda acc: acc,  # what remains of the accumulator after an iteration
    normalised: bool = True,  # in the end
) -> Tensor:
    """Return the results of a kernel with these deviations."""
    q, k, v = given(*inputs)
    n, d = q.shape
    rows = max(1, n) if whole else tile.cols if square else tile.rows
    q = pad(q, (0, 0, 0, -n % rows)).reshape(-1, rows, d)
    k, v = pad(k, (0, 0, 0, 1)), pad(v, (0, 0, 0, 1), value=padding)
    queries = torch.arange(q.shape[0] * rows).reshape(-1, rows, 1)
    m = q.new_full(queries.shape, start)
    l, acc = torch.zeros_like(m), torch.zeros_like(q)
    tiles = zip(*(_tiles(lanes, n, tile.cols, whole) for lanes in (keys, values or keys)), strict=True)
    for i, (of_keys, of_values) in enumerate(tiles):
        s = score(q, k[of_keys]) / divisor(n, d)
        s = s.masked_fill(~seen(queries, of_keys, n), hidden)
        numbers = s.nan_to_num(-torch.inf, torch.inf, -torch.inf)  # tl.max skips NaN
        top = _for_queries(maximum_of(numbers).amax(dim=max_axis, keepdim=True), max_axis)
        now = turn(
            m,
            l,
            s,
            top,
            kept=torch.maximum if running else lambda m, own: own,
            weights=weights,
            reduced=lambda p: _for_queries(p.sum(dim=sum_axis, keepdim=True), sum_axis),
            factor=lambda old, new: (sum_factor or factor)(exponent(d) * (old - new)),
            step=partial(_joined, i, "l" in late),
        )
        change, m, l = exponent(d) * (m - now.m), now.m, now.l
        p = now.p / l if divided == "p" else now.p
        product = rounded(p, tile.dtype) @ rounded(v[of_values], tile.dtype)
        acc = kept(_joined(i, "acc" in late, acc, (acc_factor or factor)(change), product))
        acc = acc / l if divided == "acc" else acc
    return (acc / l if normalised else acc).flatten(0, 1)[:n]


def _tiles(lanes: Lanes, n: int, cols: int, whole: bool) -> tuple[Tensor, ...]:
    """Return the indices for each iteration: whole tiles, with n in the padded lanes of the last."""
    taken = lanes(torch.arange(n), cols)
    taken = pad(taken, (0, -len(taken) % cols), value=n)
    return torch.split(taken, len(taken) if whole else cols) if len(taken) else ()


def _for_queries(reduced: Tensor, axis: int) -> Tensor:
    """Return a reduction with one value per query; those of keys are used for the queries at the same position."""
    return reduced.mT if axis == -2 else reduced


def _joined(i: int, late: bool, old: Tensor, factor: Tensor, terms: Tensor, *_: Tensor) -> Tensor:
    """Return old and new terms combined; in iteration 0 there are no old terms, whatever the factor."""
    if late:
        return (old + terms) * factor
    return old * factor + terms if i else terms
