"""Mistakes inside one tile of scores, which have to be followed tile by tile. q, k, v: (n, d) float32.

Each step below is the body of a wrong kernel's loop; queries and keys past the end are zeros, as a masked load gives.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import pad

from tritonpuzzles.curriculum.mistakes import Tile
from tritonpuzzles.curriculum.mistakes.attention.common import ACC, DOT, EXP, MAX, MISTAKES, WHERE, WHOLE_MAX

State = tuple[Tensor, Tensor, Tensor]
Step = Callable[[Tensor, Tensor, State], State]
Weights = Callable[[Tensor, Tensor], Tensor]


def follow(
    inputs: tuple[Tensor, ...],
    tile: Tile,
    score: Callable[[Tensor, Tensor], Tensor],
    step: Step,
    along_queries: bool = False,
) -> Tensor:
    """Return acc / l after the loop over tiles of `tile.cols` keys, for each tile of `tile.rows` queries.

    Args:
        inputs: q, k, v.
        tile: rows and cols are those of a tile of scores.
        score: (rows, d) queries, (cols, d) keys -> scores, not scaled yet.
        step: scores with -inf for the keys past the end, (cols, d) values, (m, l, acc) -> the next (m, l, acc).
        along_queries: in a square tile, the keys' mask hides queries in place of keys.
    """
    q, k, v = inputs
    n, d = q.shape
    q = pad(q, (0, 0, 0, -n % tile.rows))
    k, v = (pad(tensor, (0, 0, 0, -n % tile.cols)) for tensor in (k, v))
    past = torch.arange(k.shape[0]) >= n
    found = []
    for queries in torch.split(q, tile.rows):
        m = torch.full((tile.rows, 1), -torch.inf)
        state = (m, torch.zeros_like(m), torch.zeros_like(queries))
        for start in range(0, k.shape[0], tile.cols):
            part = slice(start, start + tile.cols)
            s = score(queries, k[part]) / d**0.5
            hidden = past[part][:, None] if along_queries else past[part]
            state = step(s.masked_fill(hidden, -torch.inf), v[part], state)
        found.append(state[2] / state[1])
    return torch.cat(found)[:n]


def queries_by_keys(q: Tensor, k: Tensor) -> Tensor:
    """q k^T."""
    return q @ k.mT


def relative(s: Tensor, m_new: Tensor) -> Tensor:
    """Return the right weights."""
    return torch.exp(s - m_new)


def advance(
    s: Tensor, v: Tensor, state: State, m_new: Tensor, dtype: torch.dtype, weights: Weights = relative
) -> State:
    """Return the next state of a loop whose new maximum is `m_new`; its weights are rounded before the product."""
    m, l, acc = state
    alpha, p = torch.exp(m - m_new), weights(s, m_new)
    return m_new, l * alpha + p.sum(dim=1, keepdim=True), acc * alpha + p.to(dtype).float() @ v


def right_step(dtype: torch.dtype) -> Step:
    """Return the step of a right kernel."""
    return lambda s, v, state: advance(s, v, state, torch.maximum(state[0], s.amax(dim=1, keepdim=True)), dtype)


def _numbers(s: Tensor) -> Tensor:
    """Return scores as `tl.max` sees them: it skips NaN."""
    return s.nan_to_num(-torch.inf, torch.inf, -torch.inf)


@MISTAKES.add(
    "one-max-for-the-tile",
    "One maximum is taken for all the queries of a tile. Queries whose scores lie far below it underflow.",
    "Reduce along the keys only: tl.max({s}, {axis}).",
    WHOLE_MAX,
    MAX,
    by_text=True,
)
def one_max_for_the_tile(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m_new = max(m, max over the whole tile of scores)."""

    def step(s: Tensor, v: Tensor, state: State) -> State:
        return advance(s, v, state, torch.maximum(state[0], _numbers(s).amax()), tile.dtype)

    return follow(inputs, tile, queries_by_keys, step)


@MISTAKES.add(
    "masked-lanes-as-zero",
    "The keys past the end are hidden from the sum and not from the maximum, where they count with a score of 0. "
    "Queries whose scores all lie far below 0 underflow.",
    'Mask the scores before the maximum: {s} = tl.where({key_mask}, {s}, -float("inf")).',
    WHERE,
)
def masked_after_the_maximum(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """m_new = max(m, s) with s = 0 for the keys past the end; their p is 0."""

    def step(s: Tensor, v: Tensor, state: State) -> State:
        top = s.masked_fill(torch.isneginf(s), 0).amax(dim=1, keepdim=True)
        return advance(s, v, state, torch.maximum(state[0], top), tile.dtype)

    return follow(inputs, tile, queries_by_keys, step)


@MISTAKES.add(
    "transposed-operand",
    "The tile of keys is reshaped where it must be transposed, or the scores come out transposed: numbers stay in "
    "order and meet the wrong queries.",
    "s = tl.dot(q, tl.trans(k)): one row for each query, one column for each key.",
    DOT,
)
def scores_transposed(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """s = k q^T in a square tile."""
    square = Tile(tile.cols, tile.cols, tile.dtype)
    return follow(inputs, square, lambda q, k: k @ q.mT, right_step(tile.dtype))


@MISTAKES.add(
    "wrong-axis",
    "The softmax runs over the queries in place of the keys.",
    "Reduce along the keys, the other axis of the tile: one maximum and one sum for each query.",
    r"axis\s*=\s*0",
)
def reduced_over_queries(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Maximum and sum along axis 0 of a square tile, one for each key, used as if they were the queries'."""

    def step(s: Tensor, v: Tensor, state: State) -> State:
        m, l, acc = state
        m_new = torch.maximum(m, s.amax(dim=0)[:, None])
        alpha, p = torch.exp(m - m_new), torch.exp(s - m_new.mT)
        return m_new, l * alpha + p.sum(dim=0)[:, None], acc * alpha + p.to(tile.dtype).float() @ v

    return follow(inputs, Tile(tile.cols, tile.cols, tile.dtype), queries_by_keys, step)


def _along_queries(dtype: torch.dtype, max_axis: int, sum_axis: int) -> Step:
    """Return the step of a kernel that reduces along one axis or the other and uses the result for the queries."""

    def step(s: Tensor, v: Tensor, state: State) -> State:
        m, l, acc = state
        m_new = torch.maximum(m, _numbers(s).amax(dim=max_axis)[:, None])
        alpha, p = torch.exp(m - m_new), torch.exp(s - m_new)
        return m_new, l * alpha + p.sum(dim=sum_axis)[:, None], acc * alpha + p.to(dtype).float() @ v

    return step


@MISTAKES.also(
    "wrong-axis",
    r"tl\.sum\(.*(axis\s*=\s*0|,\s*0\s*\))",
    says="The sum runs over the queries in place of the keys.",
    next_step="Sum along the keys, as tl.max does with {max_axis}: one sum for each query.",
)
def summed_over_queries(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The sum alone along axis 0 of a square tile."""
    square = Tile(tile.cols, tile.cols, tile.dtype)
    return follow(inputs, square, queries_by_keys, _along_queries(tile.dtype, 1, 0))


@MISTAKES.also(
    "wrong-axis",
    r"tl\.max\(.*(axis\s*=\s*0|,\s*0\s*\))",
    says="The maximum runs over the queries in place of the keys.",
    next_step="Take it along the keys, as tl.sum does with {sum_axis}: one maximum for each query.",
)
def maximum_over_queries(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The maximum alone along axis 0 of a square tile."""
    square = Tile(tile.cols, tile.cols, tile.dtype)
    return follow(inputs, square, queries_by_keys, _along_queries(tile.dtype, 0, 1))


@MISTAKES.also("wrong-axis")
def maximum_and_sum_over_queries(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Maximum and sum along axis 0 of a square tile, used for the queries."""
    square = Tile(tile.cols, tile.cols, tile.dtype)
    return follow(inputs, square, queries_by_keys, _along_queries(tile.dtype, 0, 0))


@MISTAKES.add(
    "maximum-of-another-query",
    "The maxima lie along the keys: each query's scores lose the maxima of other queries, one for each key.",
    "One maximum for each row of the tile: {s} - {m_new}{column}.",
    r"\[None,\s*:\]\s*\)",
    EXP,
)
def maxima_along_the_keys(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """p = exp(s - m_new[None, :]) in a square tile."""

    def step(s: Tensor, v: Tensor, state: State) -> State:
        m, l, acc = state
        m_new = torch.maximum(m, s.amax(dim=1, keepdim=True))
        alpha, p = torch.exp(m - m_new), torch.exp(s - m_new.mT)
        return m_new, l * alpha + p.sum(dim=1, keepdim=True), acc * alpha + p.to(tile.dtype).float() @ v

    return follow(inputs, Tile(tile.cols, tile.cols, tile.dtype), queries_by_keys, step)


@MISTAKES.add(
    "mask-along-queries",
    "The keys' mask lies along the queries: in the last block it hides queries that are there, and keys past the end "
    "get a weight.",
    '{s} = tl.where({key_mask}, {s}, -float("inf")): along the keys.',
    r"tl\.where\(.*\[:,\s*None\]",
    WHERE,
)
def mask_along_queries(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """keys[:, None] < n in a square tile."""
    square = Tile(tile.cols, tile.cols, tile.dtype)
    return follow(inputs, square, queries_by_keys, right_step(tile.dtype), along_queries=True)


@MISTAKES.add(
    "divided-twice",
    "The weights or the accumulator are divided by the sum inside the loop, where the sum is not complete yet.",
    "Divide {acc} by {l} once, after the loop.",
    ACC,
)
def weights_divided_in_the_loop(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """p / l in every step, and acc / l after the loop."""

    def step(s: Tensor, v: Tensor, state: State) -> State:
        m, l, acc = state
        m_new = torch.maximum(m, s.amax(dim=1, keepdim=True))
        alpha, p = torch.exp(m - m_new), torch.exp(s - m_new)
        l = l * alpha + p.sum(dim=1, keepdim=True)
        return m_new, l, acc * alpha + (p / l).to(tile.dtype).float() @ v

    return follow(inputs, tile, queries_by_keys, step)
