"""Mistakes of the activation: where it stands, when it is applied, its slope. a: (m, k), b: (k, n) float32."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Tile
from tritonpuzzles.curriculum.mistakes.matmul.common import (
    BRANCH,
    DOT,
    MISTAKES,
    STORE,
    WHERE,
    Inputs,
    accumulated,
    is_activated,
    turns,
    zeros,
)
from tritonpuzzles.curriculum.references import SLOPE


def leaky(c: Tensor, slope: float = SLOPE) -> Tensor:
    """Return a leaky ReLU."""
    return torch.where(c > 0, c, slope * c)


def _where_asked(inputs: Inputs, tile: Tile, then: Callable[[Tensor], Tensor]) -> Tensor:
    """Return the product, and what `then` makes of it where the call asks for an activation."""
    a, b = inputs
    return then(a @ b) if is_activated(tile) else a @ b


@MISTAKES.add(
    "activation-missing",
    "The activation is never applied.",
    'Before the store: if ACTIVATION == "leaky_relu": {acc} = tl.where({acc} > 0, {acc}, 0.01 * {acc}).',
    BRANCH,
    STORE,
)
def never_activated(inputs: Inputs, tile: Tile) -> Tensor:
    """a b."""
    a, b = inputs
    return a @ b


@MISTAKES.add(
    "activation-always",
    "The activation is applied where nobody asked for it.",
    'Put it behind if ACTIVATION == "leaky_relu": the default is "".',
    WHERE,
    STORE,
)
def always_activated(inputs: Inputs, tile: Tile) -> Tensor:
    """leaky(a b), whatever the call asks for."""
    a, b = inputs
    return leaky(a @ b)


@MISTAKES.also("activation-always")
def activated_the_other_way_round(inputs: Inputs, tile: Tile) -> Tensor:
    """leaky(a b) where none is asked for, and only there."""
    a, b = inputs
    return a @ b if is_activated(tile) else leaky(a @ b)


@MISTAKES.add(
    "activation-in-the-loop",
    "The activation is applied in every turn, to a sum that is not complete yet, or to a part of it.",
    "Apply it once, after the loop: a negative part may belong to a positive sum.",
    BRANCH,
    WHERE,
)
def activated_in_every_turn(inputs: Inputs, tile: Tile) -> Tensor:
    """acc = leaky(acc + a b) in every turn."""
    if not is_activated(tile):
        return inputs[0] @ inputs[1]
    return accumulated(turns(inputs, tile), inputs, leaky)


@MISTAKES.also("activation-in-the-loop")
def parts_activated(inputs: Inputs, tile: Tile) -> Tensor:
    """acc += leaky(a b) in every turn."""
    if not is_activated(tile):
        return inputs[0] @ inputs[1]
    return sum(map(leaky, turns(inputs, tile)), zeros(inputs))


@MISTAKES.add(
    "activation-rounded-first",
    "The sum is rounded to 16 bits before the activation, and once more behind it.",
    "Apply the activation to {acc} in float32; the store rounds, once.",
    r"\.to\(",
    BRANCH,
)
def rounded_first(inputs: Inputs, tile: Tile) -> Tensor:
    """leaky(round(a b)), with the slope in float32."""
    return _where_asked(inputs, tile, lambda c: leaky(c.to(tile.dtype).float()))


@MISTAKES.also("activation-rounded-first")
def rounded_first_and_between(inputs: Inputs, tile: Tile) -> Tensor:
    """The same with the slope rounded as well."""
    slope = float(torch.tensor(SLOPE, dtype=tile.dtype))
    return _where_asked(inputs, tile, lambda c: leaky(c.to(tile.dtype).float(), slope))


@MISTAKES.add(
    "wrong-slope",
    "Negative sums are multiplied by another number than 0.01.",
    "tl.where({acc} > 0, {acc}, 0.01 * {acc}).",
    WHERE,
    BRANCH,
)
def relu(inputs: Inputs, tile: Tile) -> Tensor:
    """Slope 0."""
    return _where_asked(inputs, tile, lambda c: torch.where(c > 0, c, 0.0))


@MISTAKES.also("wrong-slope")
def slope_of_a_tenth(inputs: Inputs, tile: Tile) -> Tensor:
    """Slope 0.1."""
    return _where_asked(inputs, tile, lambda c: leaky(c, 0.1))


@MISTAKES.also("wrong-slope")
def slope_of_a_thousandth(inputs: Inputs, tile: Tile) -> Tensor:
    """Slope 0.001."""
    return _where_asked(inputs, tile, lambda c: leaky(c, 0.001))


@MISTAKES.also("wrong-slope")
def slope_of_a_fifth(inputs: Inputs, tile: Tile) -> Tensor:
    """Slope 0.2."""
    return _where_asked(inputs, tile, lambda c: leaky(c, 0.2))


@MISTAKES.also("wrong-slope")
def negative_slope(inputs: Inputs, tile: Tile) -> Tensor:
    """Slope -0.01: no sum stays negative."""
    return _where_asked(inputs, tile, lambda c: leaky(c, -SLOPE))


@MISTAKES.also("wrong-slope")
def slope_as_a_number(inputs: Inputs, tile: Tile) -> Tensor:
    """0.01 itself in place of every negative sum."""
    return _where_asked(inputs, tile, lambda c: torch.where(c > 0, c, SLOPE))


@MISTAKES.add(
    "activation-upside-down",
    "Positive sums are multiplied by 0.01 and negative ones are left as they are: the sides are exchanged.",
    "tl.where({acc} > 0, {acc}, 0.01 * {acc}): first what holds where the condition does.",
    WHERE,
    BRANCH,
)
def sides_exchanged(inputs: Inputs, tile: Tile) -> Tensor:
    """0.01 c above 0, c below."""
    return _where_asked(inputs, tile, lambda c: torch.where(c > 0, SLOPE * c, c))


@MISTAKES.also("activation-upside-down")
def everything_multiplied(inputs: Inputs, tile: Tile) -> Tensor:
    """0.01 c everywhere."""
    return _where_asked(inputs, tile, lambda c: SLOPE * c)


@MISTAKES.add(
    "activation-of-the-inputs",
    "The activation is applied to a or b, and not to their product.",
    "Apply it to {acc}, after the loop.",
    WHERE,
    DOT,
)
def a_activated(inputs: Inputs, tile: Tile) -> Tensor:
    """leaky(a) b."""
    a, b = inputs
    return (leaky(a) if is_activated(tile) else a) @ b


@MISTAKES.also("activation-of-the-inputs")
def a_activated_in_16_bits(inputs: Inputs, tile: Tile) -> Tensor:
    """leaky(a) b, with what becomes of a rounded to its dtype."""
    a, b = inputs
    return (leaky(a).to(tile.dtype).float() if is_activated(tile) else a) @ b


@MISTAKES.also("activation-of-the-inputs")
def b_activated(inputs: Inputs, tile: Tile) -> Tensor:
    """a leaky(b)."""
    a, b = inputs
    return a @ (leaky(b) if is_activated(tile) else b)


@MISTAKES.also("activation-of-the-inputs")
def b_activated_in_16_bits(inputs: Inputs, tile: Tile) -> Tensor:
    """a leaky(b), with what becomes of b rounded to its dtype."""
    a, b = inputs
    return a @ (leaky(b).to(tile.dtype).float() if is_activated(tile) else b)


@MISTAKES.add(
    "activation-loses-nan",
    "The activation makes a number of NaN: where one of two operands is NaN, tl.maximum and tl.minimum return the "
    "other one.",
    "Let the activation choose by a comparison: tl.where({acc} > 0, {acc}, 0.01 * {acc}).",
    r"tl\.(maximum|minimum|clamp)\(",
    WHERE,
    BRANCH,
    needs=r"maximum|minimum|clamp|where|\bmax\(|\bmin\(|fma[xn]",
)
def nan_to_zero(inputs: Inputs, tile: Tile) -> Tensor:
    """max(c, 0) + 0.01 min(c, 0), where NaN counts as nothing."""
    return _where_asked(inputs, tile, lambda c: torch.where(c.isnan(), 0.0, leaky(c)))
