"""How a puzzle's tensors are shown in pictures: each as a matrix, and two tensors by the pairs of their rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from tritonpuzzles.curriculum.expressions import Expression, ExpressionError, size_of


@dataclass(frozen=True)
class MatrixSpec:
    """The matrix that shows a tensor's elements in their order: expressions over the dimensions."""

    rows: Expression
    columns: Expression

    def size(self, name: str, shape: Sequence[int], dims: Mapping[str, int]) -> tuple[int, int]:
        """Return the rows and columns of a tensor's picture.

        Raises:
            ExpressionError: if they do not multiply to the number of elements.
        """
        rows, columns = size_of(self.rows, dims), size_of(self.columns, dims)
        elements = prod(shape)
        if rows * columns != elements:
            raise ExpressionError(f"the picture of {name} has {rows} x {columns} elements, and {name} has {elements}")
        return rows, columns


@dataclass(frozen=True)
class PairsSpec:
    """A kernel that computes a value for each pair of rows of two tensors, tile by tile.

    Attributes:
        rows, columns: the two tensors, by name.
        row, column: the word for a row of each: "query", "key".
        rows_in_words, values_in_words: the plural of the first, and of the values: "queries", "scores".
    """

    rows: str
    columns: str
    row: str
    column: str
    rows_in_words: str
    values_in_words: str
