"""One row of a case in numbers: the output, and what the kernel's variables held, beside the right values."""

from __future__ import annotations

from dataclasses import dataclass

NOT_KEPT = "What variables held is kept of the first programs of a small case, and this row is not theirs."
NOT_MATCHED = "No variable of the kernel follows a quantity of the algorithm."
NO_NUMBER = "NaN is right in this row: no variable is compared with a number."


@dataclass(frozen=True)
class ElementValue:
    """One element of an output."""

    index: tuple[int, ...]  # of the element
    expected: float  # and got: the truth, and what the kernel gave
    got: float
    right: bool  # whether it is within the tolerance


@dataclass(frozen=True)
class VariableValue:
    """What a variable held for the row after one tile."""

    turn: int  # tiles so far, from 1
    tile: tuple[int, int]  # the first and the last item of the tile that was read last
    line: int  # of the assignment
    name: str  # of the variable
    quantity: str  # the quantity that it holds: "the running maximum"
    expected: float  # and got: the right number, and what it held
    got: float
    right: bool  # whether they agree


@dataclass(frozen=True)
class RowStates:
    """A row of a case's output."""

    case: str  # its name
    output: str  # the output's name
    row: int  # of the output
    row_word: str  # and item_word: the words for a row and an item in it: "row" and "column", "query" and "key"
    item_word: str
    items: int  # number of items in the row
    elements: tuple[ElementValue, ...]  # some of the row, the first wrong one among them
    variables: tuple[VariableValue, ...] = ()  # in the order in which they were assigned
    note: str = ""  # why no variables are there, or not all of them
