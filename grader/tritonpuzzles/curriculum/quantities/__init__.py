"""The right values that an algorithm's quantities have while a kernel walks along its rows, tile by tile.

A record names a function that makes a `Walk` of the call's tensors. How wide tiles are and in which order they come is
the kernel's choice: a walk is told which items each tile held, and says what is right behind it.
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
# Parts of an algorithm; a total begins with 0, and a weight may be 1 throughout.
MAXIMUM, TOTAL, SCORE, WEIGHT = "maximum", "total", "score", "weight"


@dataclass(frozen=True)
class Factor:
    """A number by which a kernel may have multiplied what is scaled.

    `lacks` is what has still to be done before an exponential is taken; empty where it is only the base's matter.
    """

    value: float = 1.0
    lacks: str = ""


@dataclass(frozen=True)
class Quantity:
    """A quantity of an algorithm."""

    name: str  # as the field calls it: "m"
    says: str  # what it is, for a sentence: "the running maximum"
    kind: str  # `ROW`, `TILE` or `SUM`
    forms: tuple[str, ...] = ()  # names of what a kernel may keep in its place
    scaled: bool = False  # whether kernels may keep it multiplied by a constant, as scores are with log2(e)
    absolute: bool = False  # whether its distance from the right value counts, and not the ratio: so with logarithms
    part: str = ""  # in the algorithm: a `MAXIMUM`, `TOTAL`, `SCORE` or `WEIGHT`; empty for anything else
    lanes: bool = False  # whether each lane keeps its own, which something must join in the end
    of: str = ""  # of a quantity that no right kernel keeps, the one that it is kept in place of
    wrong: str = ""  # what is wrong with it: "relative to 0"
    power: float = 1.0  # by what the exponent is multiplied then, 0 where no maximum is subtracted
    twice: bool = False  # whether the first tile is counted twice then


class State:
    """What is right for some rows, after the tiles that were added; of itself nothing.

    Attributes:
        largest: (rows,) the largest score, without its sign.
        slack: (rows,) by how much exponentials may be off, relative to themselves, because scores are rounded.
    """

    largest: Array = np.zeros(0)
    slack: Array = np.zeros(0)

    def add(self, items: Array) -> None:
        """Take in a tile: (tile width,) numbers of items, -1 for lanes without one."""

    def see(self, columns: Array) -> None:
        """Learn which columns of the output the program is at, where a vector has more than one program takes.

        columns: (width,) their numbers, -1 for lanes without one
        """

    def right(self) -> Mapping[str, Array]:
        """Return the right values by quantity: (rows,), (rows, tile width) or (rows, vector), in float64."""
        return {}


class Walk(ABC):
    """The rows of one call.

    Attributes:
        quantities: those whose right values are known, the likeliest to be kept first.
        factors: by which a kernel may multiply what is scaled; 1 comes first.
        n_rows: of the call.
        n_items: of each row.
        beside: tensors of which a tile must hold the same items as one of another tensor, as values go with keys.
        row_word, item_word: what a row and an item are called: "row", "column".
        rounds: whether a right kernel may round to the tensors' dtype on the way.
    """

    quantities: Sequence[Quantity]
    n_rows: int
    n_items: int
    factors: Sequence[Factor] = (Factor(),)
    beside: Mapping[str, str] = MappingProxyType({})
    row_word: str = "row"
    item_word: str = "column"
    rounds: bool = True

    @abstractmethod
    def rows_and_items(self, tensor: str, places: Array) -> tuple[Array | None, Array | None]:
        """Return the row and the item of each element of an argument or output; `None` for what it does not tell.

        places: of elements, row by row; at least 0
        """

    def columns(self, tensor: str, places: Array) -> Array | None:
        """Return the column of the output that each element of an argument belongs to; `None` where it tells of none.

        places: of elements, row by row; at least 0
        """
        return None

    @abstractmethod
    def begin(self, rows: Array) -> State:
        """Return the state of some rows before the first tile; -1 stands for no row."""
