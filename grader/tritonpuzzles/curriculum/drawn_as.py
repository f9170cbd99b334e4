"""How the tensors of a puzzle are drawn: each as a matrix, and two of them by the pairs of their rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from tritonpuzzles.curriculum.expressions import Expression, ExpressionError, size_of


@dataclass(frozen=True)
class MatrixSpec:
    """The matrix as which a tensor is drawn, its elements in their order: expressions over the dimensions."""

    rows: Expression
    columns: Expression

    def size(self, name: str, shape: Sequence[int], dims: Mapping[str, int]) -> tuple[int, int]:
        """Return the rows and columns of a tensor.

        Raises:
            ExpressionError: if these are not the tensor's elements.
        """
        rows, columns = size_of(self.rows, dims), size_of(self.columns, dims)
        elements = prod(shape)
        if rows * columns != elements:
            raise ExpressionError(f"the picture of {name} has {rows} x {columns} elements, and {name} has {elements}")
        return rows, columns


@dataclass(frozen=True)
class PairsSpec:
    """A kernel that works out a value for each row of one tensor with each row of another, tile by tile.

    Attributes:
        rows, columns: the two tensors, by name.
        row, column: what a row of each is called: "query", "key".
        rows_in_words, values_in_words: several of the first, and the values: "queries", "scores".
    """

    rows: str
    columns: str
    row: str
    column: str
    rows_in_words: str
    values_in_words: str
