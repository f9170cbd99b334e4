"""What a record says for pictures: which matrix a tensor is, and which tensors' rows a kernel holds against each other.

Without it a tensor's last dimension is the columns, and all others together are the rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from math import prod

from tritonpuzzles.curriculum.expressions import Expression, ExpressionError, size_of
from tritonpuzzles.curriculum.tables import Table, nearest


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


def read_matrix(table: Table, dims: Sequence[str]) -> MatrixSpec | None:
    """Read the `picture` table of a tensor; nothing where there is none.

    Raises:
        RecordError: for what is missing, unknown or out of place.
    """
    if not table:
        return None
    found = MatrixSpec(table.expression("rows", dims), table.expression("columns", dims))
    table.done()
    return found


def read_pairs(table: Table, tensors: Sequence[str]) -> PairsSpec | None:
    """Read the `[pairs]` table of a record; nothing where there is none.

    Raises:
        RecordError: for what is missing, unknown or no tensor.
    """
    if not table:
        return None
    found = PairsSpec(*(table.need(key, str) for key in (field.name for field in fields(PairsSpec))))
    table.done()
    for name in (found.rows, found.columns):
        if name not in tensors:
            raise table.error(f"there is no tensor {name!r}.{nearest(name, tensors)}")
    return found
