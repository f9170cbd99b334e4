"""Matrix products: a row of the result is a sum along k, of which a kernel takes one tile after another.

A program computes some columns of the result; the elements of b show which.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from torch import Tensor

from tritonpuzzles.curriculum.quantities import SUM, TOTAL, Array, Quantity, State, Walk
from tritonpuzzles.curriculum.references import LEAKY_RELU, SLOPE

ACC = Quantity("acc", "the sum so far", SUM, ("before", "activated"), part=TOTAL)
STEPS = (
    Quantity("part", "the product of the two tiles", SUM),
    Quantity("before", "the sum before the tile", SUM),
    Quantity("activated", "the sum after the activation", SUM),
    Quantity("sloped", "the sum times the slope", SUM),
)


class Sums(State):
    """The sums of some rows; -1 stands for no row.

    a: (rows, items), b: (items, columns), slope: of the activation below 0; 1 without activation
    """

    def __init__(self, a: Array, b: Array, rows: Array, slope: float) -> None:
        self._a, self._b, self._slope = a[np.maximum(rows, 0)], b, slope
        self._acc = np.zeros((len(rows), b.shape[1]))
        self._before = self._part = self._acc
        self._columns: Array | None = None
        self.largest = self.slack = np.zeros(len(rows))

    def see(self, columns: Array) -> None:
        """Set the program's columns."""
        self._columns = columns

    def add(self, items: Array) -> None:
        """Add a tile."""
        known = items[items >= 0]
        with np.errstate(all="ignore"):
            self._before, self._part = self._acc, self._a[:, known] @ self._b[known]
            self._acc = self._before + self._part

    def right(self) -> Mapping[str, Array]:
        """Return the right values of the program's columns by quantity; an empty dict before the columns are known."""
        if self._columns is None:
            return {}
        acc = self._shown(self._acc)
        found = {"acc": acc, "part": self._shown(self._part), "before": self._shown(self._before)}
        if self._slope == 1:
            return found
        return {**found, "activated": np.where(acc > 0, acc, self._slope * acc), "sloped": self._slope * acc}

    def _shown(self, sums: Array) -> Array:
        assert self._columns is not None
        shown: Array = np.where(self._columns >= 0, sums[:, self._columns], np.nan)
        return shown


class Product(Walk):
    """The product of two matrices, a: (m, k) float64 and b: (k, n) float64, followed by the activation."""

    item_word = "product"
    rounds = False  # products of 16-bit numbers are exact in float32
    beside = MappingProxyType({"b": "a"})
    quantities = (ACC, *STEPS)

    def __init__(self, a: Tensor, b: Tensor, activation: str) -> None:
        self._a: Array = a.numpy()
        self._b: Array = b.numpy()
        self._slope = SLOPE if activation == LEAKY_RELU else 1.0
        self.n_rows, self.n_items = self._a.shape
        self._n_cols = self._b.shape[1]

    def rows_and_items(self, tensor: str, places: Array) -> tuple[Array | None, Array | None]:
        """Return the row and the product of an element of a, or only the product of an element of b."""
        if tensor == "a":
            return places // max(1, self.n_items), places % max(1, self.n_items)
        return (None, places // self._n_cols) if tensor == "b" else (None, None)

    def columns(self, tensor: str, places: Array) -> Array | None:
        """Return the column of an element of b."""
        return places % self._n_cols if tensor == "b" else None

    def begin(self, rows: Array) -> Sums:
        """Return the state of some rows before the first tile."""
        return Sums(self._a, self._b, rows, self._slope)
