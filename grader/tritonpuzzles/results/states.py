"""One row of a case in numbers: what came out, and what the kernel's variables held, beside what is right."""

from __future__ import annotations

from dataclasses import dataclass

NOT_KEPT = "What variables held is kept of the first programs of a small case, and this row is not theirs."
NOT_MATCHED = "No variable of the kernel follows a quantity of the algorithm."
NO_NUMBER = "NaN is right in this row: no variable is compared with a number."


@dataclass(frozen=True)
class ElementValue:
    """One element of an output.

    Attributes:
        index: of the element.
        expected, got: the truth, and what the kernel gave.
        right: whether it is within the tolerance.
    """

    index: tuple[int, ...]
    expected: float
    got: float
    right: bool


@dataclass(frozen=True)
class VariableValue:
    """What a variable held for the row after one tile.

    Attributes:
        turn: tiles so far, from 1.
        tile: the first and the last item of the tile that was read last.
        line: of the assignment.
        name: of the variable.
        quantity: what it follows: "the running maximum".
        expected, got: the right number, and what it held.
        right: whether they agree.
    """

    turn: int
    tile: tuple[int, int]
    line: int
    name: str
    quantity: str
    expected: float
    got: float
    right: bool


@dataclass(frozen=True)
class RowStates:
    """A row of a case's output.

    Attributes:
        case: its name.
        output: the output's name.
        row: of the output.
        row_word, item_word: what a row and what is along it are called: "row" and "column", "query" and "key".
        items: how many there are along it.
        elements: some of the row, the first wrong one among them.
        variables: in the order in which they were assigned.
        note: why no variables are there, or not all of them.
    """

    case: str
    output: str
    row: int
    row_word: str
    item_word: str
    items: int
    elements: tuple[ElementValue, ...]
    variables: tuple[VariableValue, ...] = ()
    note: str = ""
