"""Walks of the softmax of a matrix's rows, and of attention: which row and item each element belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from torch import Tensor

from tritonpuzzles.curriculum.quantities import Array, Factor, Quantity, Walk
from tritonpuzzles.curriculum.quantities.online import LOG2E, OF_SOFTMAX, OF_VALUES, Online, of_powers

BASES = Factor(), Factor(LOG2E)


class Rows(Walk):
    """Rows of scores that a kernel walks along, scores: (n_rows, n_items) float64, values: (n_items, d) float64."""

    def __init__(
        self, scores: Tensor, values: Tensor | None, quantities: Sequence[Quantity], factors: Sequence[Factor]
    ) -> None:
        self._scores, self._values = scores, values
        self.quantities, self.factors = quantities, factors
        self.n_rows, self.n_items = self._scores.shape

    def begin(self, rows: Array) -> Online:
        """Return the state of some rows before the first tile."""
        return Online(self._scores, self._values, rows, self.factors)


class Softmax(Rows):
    """Softmax of each row of x: an element of x is a score."""

    def __init__(self, x: Tensor) -> None:
        super().__init__(x, None, (*OF_SOFTMAX, *of_powers(BASES)), BASES)

    def rows_and_items(self, tensor: str, places: Array) -> tuple[Array | None, Array | None]:
        """Return row and column of elements of x."""
        return (places // self.n_items, places % self.n_items) if tensor == "x" else (None, None)


class Attention(Rows):
    """Attention of queries over keys: an element of q shows its row, one of k or v its item."""

    item_word = "key"
    beside = MappingProxyType({"v": "k"})

    def __init__(self, q: Tensor, k: Tensor, v: Tensor) -> None:
        self._d = q.shape[1]
        scale = self._d**-0.5
        unscaled = tuple(Factor(base.value / scale, "the scale") for base in BASES)
        factors = (*BASES, *unscaled)
        super().__init__(q @ k.T * scale, v, (*OF_VALUES, *of_powers(factors)), factors)

    def rows_and_items(self, tensor: str, places: Array) -> tuple[Array | None, Array | None]:
        """Return the query of an element of q, or the key of an element of k or v."""
        if tensor == "q":
            return places // self._d, None
        return (None, places // self._d) if tensor in ("k", "v") else (None, None)
