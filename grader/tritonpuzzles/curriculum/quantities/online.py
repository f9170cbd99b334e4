"""Softmax along rows of scores, of which a kernel sees one tile after the other; perhaps with values to be weighed.

References:
    [1] Maxim Milakov and Natalia Gimelshein, Online normalizer calculation for softmax, 2018.
    [2] Tri Dao, FlashAttention-2: Faster Attention with Better Parallelism and Work Partitioning, 2023.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from tritonpuzzles.curriculum.quantities import ROW, SUM, TILE, Array, Factor, Quantity

ROUNDING = 2.0**-22  # of scores that are sums of products
LOG2E, LN2 = 1.4426950408889634, 0.6931471805599453

M = Quantity("m", "the running maximum", ROW, ("lane_m", "lse", "top", "whole_lse"), scaled=True)
L = Quantity(
    "l",
    "the running sum",
    ROW,
    ("log_l", "lane_l", "l_final", "lane_l_final", "lane_share", "lse", "whole", "whole_lse"),
)
L_FINAL = Quantity("l_final", "the running sum, relative to the row's maximum", ROW)
ALPHA = Quantity("alpha", "the factor that rescales the old sum", ROW)
P = Quantity("p", "the exponentials of the tile", TILE)
S = Quantity("s", "the scores of the tile", TILE, scaled=True)
Y = Quantity("y", "the softmax of the tile", TILE)
STEPS = (
    ALPHA,
    Quantity("own_max", "the maximum of the tile", ROW, scaled=True),
    Quantity("own_sum", "the sum of the tile's exponentials", ROW),
    Quantity("alone", "the sum of the tile's exponentials, relative to its own maximum", ROW),
    Quantity("own_sum_final", "the sum of the tile's exponentials, relative to the row's maximum", ROW),
    Quantity("old_l", "the old sum, rescaled", ROW),
    Quantity("beta", "the factor that rescales the tile's sum", ROW),
    Quantity("log_l", "the logarithm of the running sum", ROW, absolute=True),
    Quantity("m_before", "the running maximum before the tile", ROW, scaled=True),
    Quantity("l_before", "the running sum before the tile", ROW),
    Quantity("growth", "the old maximum less the new one", ROW, scaled=True),
    Quantity("top", "the row's maximum", ROW, scaled=True),
    Quantity("whole", "the row's sum", ROW),
    Quantity("one_over", "one over the row's sum", ROW),
    Quantity("lse", "the running log-sum-exp", ROW, scaled=True, absolute=True),
    Quantity("whole_lse", "the row's log-sum-exp", ROW, scaled=True, absolute=True),
    Quantity("e", "the exponentials of the tile, relative to the row's maximum", TILE),
    Quantity("own_p", "the exponentials of the tile, relative to its own maximum", TILE),
    Quantity("below", "the scores less the running maximum", TILE, scaled=True),
    Quantity("below_top", "the scores less the row's maximum", TILE, scaled=True),
    Quantity("scan_m", "the maximum of the tile up to each lane", TILE, scaled=True),
    Quantity("scan_l", "the sum of the tile's exponentials up to each lane", TILE),
    Quantity("lane_m", "the running maximum of each lane", TILE, scaled=True),
    Quantity("lane_below", "the maximum of each lane less the running maximum", TILE, scaled=True),
    Quantity("lane_l", "the running sum of each lane", TILE),
    Quantity("lane_l_final", "the running sum of each lane, relative to the row's maximum", TILE),
    Quantity("lane_share", "the running sum of each lane, relative to the running maximum", TILE),
    Quantity("lane_p", "the exponentials of the tile, relative to each lane's maximum", TILE),
    Quantity("lane_beta", "the factor that rescales each lane's sum to the running maximum", TILE),
    Quantity("lane_alpha", "the factor that rescales each lane's old sum", TILE),
    # Of kernels that take two tiles in a turn and keep a state for each: those of this tile, and of the other.
    Quantity("half_m", "the running maximum of every other tile", ROW, scaled=True),
    Quantity("half_l", "the running sum of every other tile", ROW),
    Quantity("other_half_m", "the running maximum of every other tile", ROW, scaled=True),
    Quantity("other_half_l", "the running sum of every other tile", ROW),
)
TWICE = "with the first tile counted twice"
WRONG = (
    Quantity("p_of_0", P.says, TILE, of="p", wrong="relative to 0 and not to the maximum"),
    Quantity("l_of_0", L.says, ROW, of="l", wrong="relative to 0 and not to the maximum"),
    Quantity("l_twice", L.says, ROW, of="l", wrong=TWICE),
)
ACC = Quantity("acc", "the accumulator", SUM)
WRONG_ACC = (Quantity("acc_twice", ACC.says, SUM, of="acc", wrong=TWICE),)
ACC_STEPS = (
    Quantity("old_acc", "the old accumulator, rescaled", SUM),
    Quantity("pv", "the tile's weighted values", SUM),
    Quantity("o", "the accumulator over the running sum", SUM),
)


def powers(factors: Iterable[Factor]) -> dict[str, float]:
    """Return what exponentials are taken of where factor and base do not go together: names and what is multiplied."""
    found = {factor.value * base for factor in factors for base in (1.0, LN2)} - {1.0}
    return {f"{power:.4g}": power for power in sorted(found) if abs(power - 1) > 1e-6}


def of_powers(factors: Iterable[Factor]) -> tuple[Quantity, ...]:
    """Return the exponentials that a kernel may take by mistake, of scores multiplied by another number."""
    return tuple(
        Quantity(f"{right.name}^{name}", right.says, right.kind, of=right.name, wrong=f"with {name} times the exponent")
        for right in (P, ALPHA)
        for name in powers(factors)
    )


class Online:
    """The state of some rows.

    Args:
        scores: (rows, items), -inf for what does not count.
        values: (items, d), or `None`.
        rows: whose state it is; -1 for no row.
        factors: by which a kernel may have multiplied its scores.
    """

    def __init__(self, scores: Array, values: Array | None, rows: Array, factors: Iterable[Factor]) -> None:
        self._scores = scores[np.maximum(rows, 0)]
        self._values, self._powers = values, powers(factors)
        self._top = self._scores.max(axis=1, initial=-np.inf)
        self._m = np.full(len(rows), -np.inf)
        self._l = np.zeros(len(rows))
        self._acc = None if values is None else np.zeros((len(rows), values.shape[1]))
        self._halves = [(self._m, self._l), (self._m, self._l)]  # of every other tile, the last one first
        self._lanes: tuple[Array, Array] | None = None
        self._first: tuple[Array, Array] | None = None  # scores of the first tile, and its items
        self._right: dict[str, Array] = {}
        finite = np.where(np.isfinite(self._scores), np.abs(self._scores), 0.0)
        self.largest: Array = finite.max(axis=1, initial=0.0)
        self.slack: Array = ROUNDING * self.largest * (values is not None)
        with np.errstate(all="ignore"):
            self._whole = np.exp(self._scores - _base(self._top)[:, None]).sum(axis=1)

    def right(self) -> Mapping[str, Array]:
        """Return the right values by quantity; NaN where any value is."""
        return self._right

    def see(self, columns: Array) -> None:
        """Do nothing: a program has all columns of the values."""

    def add(self, items: Array) -> None:
        """Take in a tile."""
        with np.errstate(all="ignore"):
            tile = np.where(items >= 0, self._scores[:, items], -np.inf)
            self._first = self._first or (tile, items)
            right = {**self._of_tile(tile, items), **self._of_row(tile), **self._of_lanes(tile)}
            right |= self._of_halves(tile) | self._of_values(items, right["p"]) | self._of_the_first_twice()
            self._right = right

    def _of_row(self, tile: Array) -> dict[str, Array]:
        """Move maximum and sum on, and return them with the steps on the way."""
        before, own = self._m, tile.max(axis=1, initial=-np.inf)
        m = self._m = np.maximum(before, own)
        self._alpha = np.exp(before - _base(m))
        own_sum = np.exp(tile - _base(m)[:, None]).sum(axis=1)
        l_before, old = np.where(np.isneginf(before), np.nan, self._l), self._l * self._alpha
        self._l = old + own_sum
        hidden, first = np.isneginf(m), np.isneginf(before)
        known = np.where(hidden, np.nan, self._l)
        return {
            "m": m, "own_max": own, "growth": before - m, "top": self._top,
            "alpha": np.where(first, np.nan, self._alpha), "beta": np.where(hidden, np.nan, np.exp(own - m)),
            **{f"alpha^{name}": np.where(first, np.nan, self._alpha**power) for name, power in self._powers.items()},
            "l": known, "log_l": np.log(known), "m_before": before,
            "l_before": l_before, "old_l": np.where(hidden, np.nan, old),
            "own_sum": np.where(hidden, np.nan, own_sum), "alone": np.exp(tile - _base(own)[:, None]).sum(axis=1),
            "l_final": self._l * np.exp(m - _base(self._top)), "l_of_0": self._l * np.exp(m),
            "own_sum_final": np.exp(tile - _base(self._top)[:, None]).sum(axis=1),
            "whole": self._whole, "one_over": 1 / self._whole,
            "lse": m + np.log(self._l), "whole_lse": self._top + np.log(self._whole),
        }  # fmt: skip

    def _of_halves(self, tile: Array) -> dict[str, Array]:
        """Move maximum and sum of every other tile on, and return them with those of the tiles between."""
        other, (before, old) = self._halves  # what came last is the other
        m = np.maximum(before, tile.max(axis=1, initial=-np.inf))
        l = old * np.exp(before - _base(m)) + np.exp(tile - _base(m)[:, None]).sum(axis=1)
        self._halves = [(m, l), other]
        hidden = [np.where(np.isneginf(top), np.nan, total) for top, total in self._halves]
        return {"half_m": m, "half_l": hidden[0], "other_half_m": other[0], "other_half_l": hidden[1]}

    def _of_tile(self, tile: Array, items: Array) -> dict[str, Array]:
        """Return what is right for each element of a tile, before the row moves on."""
        own = tile.max(axis=1, initial=-np.inf)
        m = np.maximum(self._m, own)
        tile = np.where(items >= 0, tile, np.nan)  # what lanes without an item hold counts in sums and maxima alone
        p = np.where(np.isneginf(m)[:, None], np.nan, np.exp(tile - m[:, None]))
        e = np.exp(tile - self._top[:, None])
        return {
            "s": tile, "p": p, "e": e, "y": e / self._whole[:, None], "own_p": np.exp(tile - own[:, None]),
            "below": tile - m[:, None], "below_top": tile - self._top[:, None], "p_of_0": np.exp(tile),
            **_scanned(tile),
            **{f"p^{name}": p**power for name, power in self._powers.items()},
        }  # fmt: skip

    def _of_lanes(self, tile: Array) -> dict[str, Array]:
        """Move each lane's own maximum and sum on, and return them."""
        if self._lanes is None or self._lanes[0].shape != tile.shape:
            self._lanes = np.full(tile.shape, -np.inf), np.zeros(tile.shape)
        m, l = self._lanes
        new = np.maximum(m, tile)
        alpha = np.exp(m - _base(new))
        self._lanes = new, l * alpha + np.exp(tile - _base(new))
        shown = np.where(np.isneginf(new), np.nan, self._lanes[1])
        final = shown * np.exp(new - self._top[:, None])
        lane_alpha = np.where(np.isneginf(m) | np.isneginf(tile), np.nan, alpha)
        lane_p = np.where(np.isneginf(tile), np.nan, np.exp(tile - _base(new)))
        return {
            "lane_p": lane_p,
            "lane_m": new,
            "lane_below": new - self._m[:, None],
            "lane_beta": np.exp(new - _base(self._m)[:, None]),
            "lane_l": shown,
            "lane_alpha": lane_alpha,
            "lane_l_final": final,
            "lane_share": shown * np.exp(new - _base(self._m)[:, None]),
        }

    def _of_values(self, items: Array, p: Array) -> dict[str, Array]:
        """Move the accumulator on, and return it with the steps on the way; nothing without values."""
        if self._acc is None:
            return {}
        weighed = self._weighed(items, p)
        old = self._acc * self._alpha[:, None]
        self._acc = old + weighed
        return {"acc": self._acc, "old_acc": old, "pv": weighed, "o": self._acc / self._l[:, None]}

    def _weighed(self, items: Array, p: Array) -> Array:
        assert self._values is not None
        weighed: Array = np.nan_to_num(p) @ np.where(items[:, None] >= 0, self._values[items], 0.0)
        return weighed

    def _of_the_first_twice(self) -> dict[str, Array]:
        """Return sum and accumulator as they are where a loop takes again what was taken before it."""
        assert self._first is not None
        tile, items = self._first
        p = np.exp(tile - _base(self._m)[:, None])
        total = self._l + p.sum(axis=1)
        found = {"l_twice": np.where(np.isneginf(self._m), np.nan, total)}
        return found if self._acc is None else found | {"acc_twice": self._acc + self._weighed(items, p)}


def _scanned(tile: Array) -> dict[str, Array]:
    """Return maximum and sum of a tile up to each of its lanes, as a scan gives them."""
    tile = np.where(np.isnan(tile), -np.inf, tile)
    m = np.maximum.accumulate(tile, axis=1)
    return {"scan_m": m, "scan_l": np.exp(np.logaddexp.accumulate(tile, axis=1) - m)}


def _base(values: Array) -> Array:
    """Return values with 0 for -inf: -inf less that is -inf, and not NaN."""
    return np.where(np.isneginf(values), 0.0, values)
