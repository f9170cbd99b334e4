"""Softmax along rows of scores, of which a kernel sees one tile after the other; perhaps with values to be weighed.

References:
    [1] Maxim Milakov and Natalia Gimelshein, Online normalizer calculation for softmax, 2018.
    [2] Tri Dao, FlashAttention-2: Faster Attention with Better Parallelism and Work Partitioning, 2023.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes.machines import Turn, begun, total, turn
from tritonpuzzles.curriculum.quantities import (
    MAXIMUM,
    ROW,
    SCORE,
    SUM,
    TILE,
    TOTAL,
    WEIGHT,
    Array,
    Factor,
    Quantity,
    State,
)

ROUNDING = 2.0**-22  # of scores that are sums of products
LOG2E, LN2 = 1.4426950408889634, 0.6931471805599453

M = Quantity("m", "the running maximum", ROW, ("lane_m", "lse", "top", "whole_lse"), scaled=True, part=MAXIMUM)
L = Quantity(
    "l",
    "the running sum",
    ROW,
    ("log_l", "lane_l", "l_final", "lane_l_final", "lane_share", "lse", "whole", "whole_lse"),
    part=TOTAL,
)
L_FINAL = Quantity("l_final", "the running sum, relative to the row's maximum", ROW, part=TOTAL)
ALPHA = Quantity("alpha", "the factor that rescales the old sum", ROW, part=WEIGHT)
P = Quantity("p", "the exponentials of the tile", TILE, part=WEIGHT)
S = Quantity("s", "the scores of the tile", TILE, scaled=True, part=SCORE)
Y = Quantity("y", "the softmax of the tile", TILE)
STEPS = (
    ALPHA,
    Quantity("own_max", "the maximum of the tile", ROW, scaled=True, part=MAXIMUM),
    Quantity("own_sum", "the sum of the tile's exponentials", ROW),
    Quantity("alone", "the sum of the tile's exponentials, relative to its own maximum", ROW),
    Quantity("old_l", "the old sum, rescaled", ROW),
    Quantity("beta", "the factor that rescales the tile's sum", ROW, part=WEIGHT),
    Quantity("log_l", "the logarithm of the running sum", ROW, absolute=True),
    Quantity("m_before", "the running maximum before the tile", ROW, scaled=True),
    Quantity("top", "the row's maximum", ROW, scaled=True, part=MAXIMUM),
    Quantity("whole", "the row's sum", ROW),
    Quantity("one_over", "one over the row's sum", ROW),
    Quantity("lse", "the running log-sum-exp", ROW, scaled=True, absolute=True),
    Quantity("whole_lse", "the row's log-sum-exp", ROW, scaled=True, absolute=True),
    Quantity("e", "the exponentials of the tile, relative to the row's maximum", TILE, part=WEIGHT),
    Quantity("own_p", "the exponentials of the tile, relative to its own maximum", TILE, part=WEIGHT),
    Quantity("below", "the scores less the running maximum", TILE, scaled=True, part=SCORE),
    Quantity("scan_m", "the maximum of the tile up to each lane", TILE, scaled=True),
    Quantity("scan_l", "the sum of the tile's exponentials up to each lane", TILE),
    Quantity("lane_m", "the running maximum of each lane", TILE, scaled=True, part=MAXIMUM, lanes=True),
    Quantity("lane_below", "the maximum of each lane less the running maximum", TILE, scaled=True, lanes=True),
    Quantity("lane_l", "the running sum of each lane", TILE, lanes=True),
    Quantity("lane_l_final", "the running sum of each lane, relative to the row's maximum", TILE, lanes=True),
    Quantity("lane_share", "the running sum of each lane, relative to the running maximum", TILE, lanes=True),
    Quantity("lane_p", "the exponentials of the tile, relative to each lane's maximum", TILE, part=WEIGHT, lanes=True),
    Quantity(
        "lane_beta", "the factor that rescales each lane's sum to the running maximum", TILE, part=WEIGHT, lanes=True
    ),
    Quantity("lane_alpha", "the factor that rescales each lane's old sum", TILE, part=WEIGHT, lanes=True),
    # For kernels that take two tiles per iteration, with a state for each: this tile's state, and the other's.
    Quantity("half_m", "the running maximum of every other tile", ROW, scaled=True),
    Quantity("half_l", "the running sum of every other tile", ROW),
    Quantity("other_half_m", "the running maximum of every other tile", ROW, scaled=True),
    Quantity("other_half_l", "the running sum of every other tile", ROW),
)
WRONG = (
    Quantity("p_of_0", P.says, TILE, of="p", wrong="relative to 0 and not to the maximum", power=0.0),
    Quantity("l_of_0", L.says, ROW, of="l", wrong="relative to 0 and not to the maximum", power=0.0),
    Quantity("l_twice", L.says, ROW, of="l", wrong="with the first tile counted twice", twice=True),
)
ACC = Quantity("acc", "the accumulator", SUM, part=TOTAL)
ACC_STEPS = (
    Quantity("old_acc", "the old accumulator, rescaled", SUM),
    Quantity("pv", "the tile's weighted values", SUM),
    Quantity("o", "the accumulator over the running sum", SUM),
)
OF_SOFTMAX = (M, L, P, S, Y, L_FINAL, *STEPS, *WRONG)
OF_VALUES = (M, L, ACC, P, S, *STEPS, *ACC_STEPS, L_FINAL, *WRONG)


def powers(factors: Iterable[Factor]) -> dict[str, float]:
    """Return the wrong factors on the exponent, by name, that occur if scale and base do not fit each other."""
    found = {factor.value * base for factor in factors for base in (1.0, LN2)} - {1.0}
    return {f"{power:.4g}": power for power in sorted(found) if abs(power - 1) > 1e-6}


def of_powers(factors: Iterable[Factor]) -> tuple[Quantity, ...]:
    """Return quantities for exponentials of scores with such a wrong factor, which a kernel may compute by mistake."""

    def made(right: Quantity, name: str, power: float) -> Quantity:
        wrong = f"with {name} times the exponent"
        return replace(right, name=f"{right.name}^{name}", part="", of=right.name, wrong=wrong, power=power)

    return tuple(made(right, *one) for right in (P, ALPHA) for one in powers(factors).items())


class Online(State):
    """The state of some rows: a correct running softmax, tile by tile, for rows and for each lane.

    scores: (rows, items) float64, -inf for what does not count; values: (items, d) float64; rows: -1 for no row
    """

    def __init__(self, scores: Tensor, values: Tensor | None, rows: Array, factors: Iterable[Factor]) -> None:
        self._scores = scores[np.maximum(rows, 0)]
        self._values, self._powers = values, powers(factors)
        self._row = self._lane = self._half = self._other_half = begun(self._scores[:, :1])
        self._top = self._scores.amax(dim=1, keepdim=True)
        self._whole = torch.exp(self._scores - _base(self._top)).sum(dim=1, keepdim=True)
        self._acc = None if values is None else scores.new_zeros(len(rows), values.shape[1])
        self._first = self._scores[:, :0]  # the first tile
        self._right: dict[str, Array] = {}
        self.largest = self._scores.abs().nan_to_num(0.0, 0.0).amax(dim=1).numpy()
        self.slack = ROUNDING * self.largest * (values is not None)

    def right(self) -> Mapping[str, Array]:
        """Return the right values by quantity; NaN where any value is accepted."""
        return self._right

    def add(self, items: Array) -> None:
        """Add a tile."""
        taken = torch.from_numpy(items).long()
        tile = self._scores[:, taken].masked_fill(taken < 0, -torch.inf)
        if self._lane.m.shape != tile.shape:
            self._lane = begun(tile)
        self._first = self._first if self._first.numel() else tile
        own = tile.amax(dim=1, keepdim=True)
        self._row, self._lane = _turned(self._row, tile, own), _turned(self._lane, tile, tile, lambda terms: terms)
        self._half, self._other_half = _turned(self._other_half, tile, own), self._half  # every other tile
        rows = self._of_rows(tile, own)
        tiles = {**self._of_tile(tile.masked_fill(taken < 0, torch.nan), own), **_scanned(tile), **self._of_lanes(tile)}
        self._right = {name: right.squeeze(1).numpy() for name, right in rows.items()}
        self._right |= {name: right.numpy() for name, right in {**tiles, **self._of_values(taken, tiles["p"])}.items()}

    def _of_rows(self, tile: Tensor, own: Tensor) -> dict[str, Tensor]:
        """Return the maximum and the sum of each row, (rows, 1), with intermediate values."""
        row, top = self._row, self._top
        alpha, l = row.alpha.masked_fill(row.m_old.isneginf(), torch.nan), _known(row.l, row.m)
        return {
            "m": row.m, "own_max": own, "m_before": row.m_old, "top": top, "alpha": alpha,
            **{f"alpha^{name}": alpha**power for name, power in self._powers.items()},
            "beta": _known(torch.exp(own - row.m), row.m), "old_l": _known(row.l_old * row.alpha, row.m),
            "own_sum": _known(row.terms, row.m), "alone": _known(torch.exp(tile - own).sum(dim=1, keepdim=True), own),
            "l": l, "log_l": l.log(), "lse": row.m + row.l.log(), "l_of_0": row.l * row.m.exp(),
            "l_final": row.l * torch.exp(row.m - _base(top)),
            "l_twice": l + torch.exp(self._first - _base(row.m)).sum(dim=1, keepdim=True),
            "whole": self._whole, "one_over": 1 / self._whole, "whole_lse": top + self._whole.log(),
            "half_m": self._half.m, "half_l": _known(self._half.l, self._half.m),
            "other_half_m": self._other_half.m, "other_half_l": _known(self._other_half.l, self._other_half.m),
        }  # fmt: skip

    def _of_tile(self, tile: Tensor, own: Tensor) -> dict[str, Tensor]:
        """Return the right values for each element of a tile, NaN for lanes without one."""
        m = self._row.m
        p, e = _known(torch.exp(tile - m), m), torch.exp(tile - self._top)
        return {
            "s": tile, "p": p, "e": e, "y": e / self._whole, "own_p": torch.exp(tile - own),
            "below": tile - m, "p_of_0": tile.exp(),
            **{f"p^{name}": p**power for name, power in self._powers.items()},
        }  # fmt: skip

    def _of_lanes(self, tile: Tensor) -> dict[str, Tensor]:
        """Return the maximum and the sum of each lane, (rows, tile width)."""
        lane, m, l = self._lane, _base(self._row.m), _known(self._lane.l, self._lane.m)
        return {
            "lane_m": lane.m,
            "lane_below": lane.m - self._row.m,
            "lane_beta": torch.exp(lane.m - m),
            "lane_alpha": _known(_known(lane.alpha, lane.m_old), tile),
            "lane_p": _known(lane.p, tile),
            "lane_l": l,
            "lane_l_final": l * torch.exp(lane.m - self._top),
            "lane_share": l * torch.exp(lane.m - m),
        }

    def _of_values(self, taken: Tensor, p: Tensor) -> dict[str, Tensor]:
        """Update the accumulator, and return it with intermediate values; an empty dict without values."""
        if self._acc is None or self._values is None:
            return {}
        weighed = p.nan_to_num() @ self._values[taken].masked_fill((taken < 0)[:, None], 0.0)
        old = self._acc * self._row.alpha
        self._acc = old + weighed
        return {"acc": self._acc, "old_acc": old, "pv": weighed, "o": self._acc / self._row.l}


def _turned(state: Turn, tile: Tensor, own: Tensor, reduced: Callable[[Tensor], Tensor] = total) -> Turn:
    """Return the state after a tile; a row or lane of only -inf has weight 0, not NaN."""
    return turn(
        state.m,
        state.l,
        tile,
        own,
        weights=lambda s, m: torch.exp(s - _base(m)),
        reduced=reduced,
        factor=lambda old, new: torch.exp(old - _base(new)),
    )


def _scanned(tile: Tensor) -> dict[str, Tensor]:
    """Return the maximum and the sum of a tile up to each of its lanes, as a scan computes them."""
    m = tile.cummax(dim=1).values
    return {"scan_m": m, "scan_l": torch.exp(tile.logcumsumexp(dim=1) - m)}


def _base(values: Tensor) -> Tensor:
    """Return values with 0 for -inf, so that -inf less that is -inf, not NaN."""
    return values.masked_fill(values.isneginf(), 0.0)


def _known(values: Tensor, m: Tensor) -> Tensor:
    """Return values with NaN where the maximum is -inf: those are not compared."""
    return values.masked_fill(m.isneginf(), torch.nan)
