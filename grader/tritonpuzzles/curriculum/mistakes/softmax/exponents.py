"""Mistakes of exp and of what it is taken of: sign, base, maximum. x: (n_rows, n_cols) float32."""

from __future__ import annotations

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Tile
from tritonpuzzles.curriculum.mistakes.softmax.common import (
    EXP,
    MISTAKES,
    SUM,
    Pairwise,
    maximum,
    normalised,
    online_state,
    padded,
)

LN2 = 0.6931471805599453


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
    return normalised(x, torch.zeros_like(x[:, :1]))


@MISTAKES.add(
    "wrong-sign",
    "The exponent has the wrong sign: the smallest value of a row weighs most.",
    "exp(x - max), not exp(max - x) or exp(-x).",
    EXP,
)
def wrong_sign(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Softmax of -x."""
    (x,) = inputs
    return torch.softmax(-x, dim=1)


@MISTAKES.also("wrong-sign")
def overflowing_sign(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """exp(max - x), which overflows, and which is inf in the masked lanes of -inf."""
    (x,) = inputs
    numerator = torch.exp(maximum(x) - padded(x, tile.cols, -torch.inf))
    return (numerator / numerator.sum(dim=1, keepdim=True))[:, : x.shape[1]]


@MISTAKES.also("wrong-sign", SUM)
def sign_of_the_sum_alone(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """exp(x - m) / sum(exp(m - x)), the masked lanes too."""
    return _wrong_sum_alone(inputs, tile, lambda x, m: torch.exp(m - x))


@MISTAKES.also("wrong-sign", SUM)
def sign_of_the_running_sum_alone(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The same, tile by tile."""
    return _wrong_running_sum_alone(inputs, tile, lambda x, m: torch.exp(m - x))


@MISTAKES.add(
    "wrong-base",
    "exp2 is used on x itself: 2^(x - max) is not e^(x - max).",
    "Multiply x by log2(e) = 1.4426950408889634 before tl.exp2.",
    r"exp2\(",
)
def wrong_base(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """2^(x - m) / sum."""
    (x,) = inputs
    return torch.softmax(x * LN2, dim=1)


@MISTAKES.also(
    "wrong-base",
    r"0\.6931",
    says="exp2 is taken of x times ln(2): e^x is 2 to the power of x times log2(e).",
    next_step="Multiply by log2(e) = 1.4426950408889634: ln(2) is its inverse.",
)
def inverse_base(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """2^((x - m) ln 2) / sum."""
    (x,) = inputs
    return torch.softmax(x * LN2 * LN2, dim=1)


@MISTAKES.also(
    "wrong-base",
    EXP,
    says="exp is taken of x times log2(e), which belongs before exp2: e^(x log2(e)) is not e^x.",
    next_step="Take tl.exp2 of it, or tl.exp of x itself.",
)
def exp_of_the_power_of_two(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """e^((x - m) log2(e)) / sum."""
    (x,) = inputs
    return torch.softmax(x / LN2, dim=1)


@MISTAKES.add(
    "exp-missing",
    "exp is missing: what is summed is x - max itself, which is never above 0.",
    "Take the exponentials first: tl.sum(tl.exp(x - max)).",
    r"tl\.sum\(",
)
def exp_missing(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """(x - m) / sum(x - m)."""
    (x,) = inputs
    shifted = x - maximum(x)
    return shifted / shifted.sum(dim=1, keepdim=True)


@MISTAKES.also("exp-missing")
def exp_missing_of_masked_lanes(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The same, where -inf in the masked lanes is all of the sum."""
    (x,) = inputs
    shifted = padded(x, tile.cols, -torch.inf) - maximum(x)
    return (shifted / shifted.sum(dim=1, keepdim=True))[:, : x.shape[1]]


@MISTAKES.also("exp-missing")
def exp_missing_in_the_sum_alone(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """exp(x - m) / sum(x - m), the masked lanes too."""
    return _wrong_sum_alone(inputs, tile, torch.sub)


@MISTAKES.also("exp-missing")
def exp_missing_in_the_running_sum_alone(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """The same, tile by tile."""
    return _wrong_running_sum_alone(inputs, tile, torch.sub)


def _wrong_sum_alone(inputs: tuple[Tensor, ...], tile: Tile, term: Pairwise) -> Tensor:
    (x,) = inputs
    m = maximum(x)
    return normalised(x, m, term(padded(x, tile.cols, -torch.inf), m).sum(dim=1, keepdim=True))


def _wrong_running_sum_alone(inputs: tuple[Tensor, ...], tile: Tile, term: Pairwise) -> Tensor:
    (x,) = inputs
    whole = padded(x, tile.cols, -torch.inf)
    return normalised(x, *online_state(whole, tile, lambda m, m_new: torch.exp(m - m_new), term=term))


@MISTAKES.add(
    "max-subtracted-after-exp",
    "The maximum is subtracted after exp and not before: exp(x) overflows all the same, and exp(x) - exp(max) is never "
    "above 0.",
    "tl.exp(x - max): subtract inside.",
    EXP,
)
def exp_of_the_max_subtracted(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """(exp(x) - exp(m)) / sum, the masked lanes too, whose exp is 0."""
    (x,) = inputs
    return _shifted_after_exp(inputs, tile, torch.exp(maximum(x)))


@MISTAKES.also("max-subtracted-after-exp")
def max_subtracted_from_exp(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """(exp(x) - m) / sum."""
    (x,) = inputs
    return _shifted_after_exp(inputs, tile, maximum(x))


def _shifted_after_exp(inputs: tuple[Tensor, ...], tile: Tile, shift: Tensor) -> Tensor:
    (x,) = inputs
    numerator = torch.exp(padded(x, tile.cols, -torch.inf)) - shift
    return (numerator / numerator.sum(dim=1, keepdim=True))[:, : x.shape[1]]
