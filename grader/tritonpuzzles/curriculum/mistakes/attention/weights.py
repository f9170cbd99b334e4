"""Mistakes of the weights and of the factor: exp, sign, and what they are relative to. q, k, v: (n, d) float32."""

from __future__ import annotations

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Tile
from tritonpuzzles.curriculum.mistakes.attention.common import ACC, EXP, MAX, MISTAKES, loop, scores_of
from tritonpuzzles.curriculum.mistakes.attention.tiles import (
    State,
    Step,
    Weights,
    advance,
    follow,
    queries_by_keys,
)

WEIGHTS, FACTOR = r"^\s*p\s*=", r"alpha\w*\s*="


def _weighted_by(tile: Tile, weights: Weights) -> Step:
    """Return the step of a kernel whose weights are what `weights(s, m_new)` gives; all else is right."""

    def step(s: Tensor, v: Tensor, state: State) -> State:
        return advance(s, v, state, torch.maximum(state[0], s.amax(dim=1, keepdim=True)), tile.dtype, weights)

    return step


@MISTAKES.add(
    "exp-missing",
    "exp is missing: the weights are {s} - {m_new} itself, which is never above 0, and -inf past the end of the "
    "sequence.",
    "{p} = tl.exp({s} - {m_new}{column}).",
    WEIGHTS,
    ACC,
)
def exp_missing(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """p = s - m_new."""
    return follow(inputs, tile, queries_by_keys, _weighted_by(tile, lambda s, m_new: s - m_new))


@MISTAKES.also("wrong-sign")
def overflowing_sign(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """p = exp(m_new - s), which is inf past the end of the sequence."""
    return follow(inputs, tile, queries_by_keys, _weighted_by(tile, lambda s, m_new: torch.exp(m_new - s)))


@MISTAKES.add(
    "terms-relative-to-own-max",
    "A tile's weights are taken relative to the tile's own maximum, and then counted as relative to the running one.",
    "{p} = tl.exp({s} - {m_new}{column}), with the maximum of all tiles until there.",
    WEIGHTS,
    EXP,
)
def weights_relative_to_own_max(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """p = exp(s - max(tile))."""
    weights = _weighted_by(tile, lambda s, m_new: torch.exp(s - s.amax(dim=1, keepdim=True)))
    return follow(inputs, tile, queries_by_keys, weights)


@MISTAKES.add(
    "new-terms-rescaled-too",
    "The factor is applied after the tile's own terms were added. Those already belong to the new maximum, and the "
    "first tile, whose factor is 0, is lost.",
    "{acc} = {acc} * {alpha} + {p} v: rescale what was there before alone, and {l} likewise.",
    ACC,
)
def new_terms_of_acc_rescaled_too(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """acc = (acc + p v) alpha."""
    return follow(inputs, tile, queries_by_keys, _rescaled_too(tile, sum_too=False))


@MISTAKES.also("new-terms-rescaled-too")
def new_terms_rescaled_too(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The same of l, too."""
    return follow(inputs, tile, queries_by_keys, _rescaled_too(tile, sum_too=True))


def _rescaled_too(tile: Tile, sum_too: bool) -> Step:
    def step(s: Tensor, v: Tensor, state: State) -> State:
        m, l, acc = state
        m_new = torch.maximum(m, s.amax(dim=1, keepdim=True))
        alpha, p = torch.exp(m - m_new), torch.exp(s - m_new)
        terms = p.sum(dim=1, keepdim=True)
        l = (l + terms) * alpha if sum_too else l * alpha + terms
        return m_new, l, (acc + p.to(tile.dtype).float() @ v) * alpha

    return step


@MISTAKES.add(
    "factor-without-exp",
    "Sum and accumulator are multiplied by {m_old} - {m_new} itself: exp is missing in the factor.",
    "The factor is tl.exp({m_old} - {m_new}).",
    FACTOR,
    ACC,
)
def factor_without_exp(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """alpha = m - m_new, from a finite start on."""
    q, k, v = inputs
    acc, l = loop(scores_of(q, k), v, tile.cols, torch.subtract, torch.subtract)
    return acc / l


@MISTAKES.add(
    "nan-from-the-start",
    "Every output is NaN, from the first tile on. The maximum is infinite before it, and so are exp({s} - {m_old}), "
    "{m_old} - {m_new}, and exp({m_new} - {m_old}), the factor upside down: inf * 0 and inf / inf are NaN.",
    "Start {m} at -inf; the weights are tl.exp({s} - {m_new}{column}), the factor is tl.exp({m_old} - {m_new}).",
    FACTOR,
    EXP,
    MAX,
)
def nan_from_the_start(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """NaN."""
    return torch.full_like(inputs[0], torch.nan)
