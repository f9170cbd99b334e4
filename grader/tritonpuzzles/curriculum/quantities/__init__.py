"""The right values of an algorithm's quantities while a kernel walks along its rows, tile by tile.

A record names a function that makes a `Walk` of the call's tensors. The kernel chooses the width and the order of
tiles: a walk is given the items of each tile, and returns the right values after it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]

ROW, TILE, SUM = "row", "tile", "sum"  # one number for each row; for each row and item; a vector for each row
# Parts of an algorithm; a total starts at 0, and a weight may be 1 throughout.
MAXIMUM, TOTAL, SCORE, WEIGHT = "maximum", "total", "score", "weight"


@dataclass(frozen=True)
class Factor:
    """A number by which a kernel may have multiplied a scaled quantity.

    `lacks` names the factor that is missing before an exponential is taken; empty if only the base differs.
    """

    value: float = 1.0
    lacks: str = ""


@dataclass(frozen=True)
class Quantity:
    """A quantity of an algorithm."""

    name: str  # as the field calls it: "m"
    says: str  # what it is, in a sentence: "the running maximum"
    kind: str  # `ROW`, `TILE` or `SUM`
    forms: tuple[str, ...] = ()  # names of quantities that a kernel may keep instead
    scaled: bool = False  # whether a kernel may keep it times a constant, as scores with log2(e)
    absolute: bool = False  # whether the absolute error counts, not the relative one: so with logarithms
    part: str = ""  # its part in the algorithm: `MAXIMUM`, `TOTAL`, `SCORE` or `WEIGHT`; empty for anything else
    lanes: bool = False  # whether each lane has its own value, to be reduced in the end
    of: str = ""  # for a quantity that no right kernel keeps: the right one
    wrong: str = ""  # what is wrong with it: "relative to 0"
    power: float = 1.0  # the factor on the exponent, 0 if no maximum is subtracted
    twice: bool = False  # whether the first tile is counted twice


class State:
    """The right values of some rows, after the tiles that were added; the base class has none."""

    largest: Array = np.zeros(0)  # (rows,) the largest absolute score
    slack: Array = np.zeros(0)  # (rows,) the relative error that exponentials may have because scores are rounded

    def add(self, items: Array) -> None:
        """Add a tile: (tile width,) indices of items, -1 for lanes without one."""

    def see(self, columns: Array) -> None:
        """Set the program's columns of the output, if an output row has more columns than one program takes.

        columns: (width,) their indices, -1 for lanes without one
        """

    def right(self) -> Mapping[str, Array]:
        """Return the right values by quantity: (rows,), (rows, tile width) or (rows, vector), in float64."""
        return {}


class Walk(ABC):
    """The rows of one call."""

    quantities: Sequence[Quantity]  # those with known right values; those most often kept come first
    n_rows: int  # of the call
    n_items: int  # of each row
    factors: Sequence[Factor] = (Factor(),)  # by which a kernel may multiply scaled quantities; 1 comes first
    # tensor -> another tensor whose items its tiles must match, as values match keys
    beside: Mapping[str, str] = MappingProxyType({})
    row_word: str = "row"  # and item_word: the words for a row and an item
    item_word: str = "column"
    rounds: bool = True  # whether a right kernel may round intermediate values to the tensors' dtype

    @abstractmethod
    def rows_and_items(self, tensor: str, places: Array) -> tuple[Array | None, Array | None]:
        """Return the row and the item of each element of a tensor; `None` for what the tensor does not show.

        places: row-major indices of elements; at least 0
        """

    def columns(self, tensor: str, places: Array) -> Array | None:
        """Return the output column of each element of an argument; `None` if the argument does not show it.

        places: row-major indices of elements; at least 0
        """
        return None

    @abstractmethod
    def begin(self, rows: Array) -> State:
        """Return the state of some rows before the first tile; -1 stands for no row."""
