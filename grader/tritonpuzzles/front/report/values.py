"""One row in numbers: what came out, and what the kernel's variables held, beside what is right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from tritonpuzzles.front.page.model import (
    RIGHT,
    WRONG,
    Block,
    Blocks,
    Brief,
    Cell,
    Column,
    Gap,
    Heading,
    Paragraph,
    Replay,
    SourceLine,
    Table,
    View,
)
from tritonpuzzles.front.report.source import listings
from tritonpuzzles.front.text import one_line, six_digits
from tritonpuzzles.results.check import PuzzleResult
from tritonpuzzles.results.codes import COMPILE_ERROR
from tritonpuzzles.results.states import ElementValue, RowStates, VariableValue

BEFORE, BEHIND = 6, 4  # lines of code that are shown around those of the steps
WIDE = 60  # columns from which the table of variables has room
ELEMENTS = (Column(), Column("element"), Column("got", right=True), Column("expected", right=True))
VARIABLES = (
    Column(), Column("iteration", right=True), Column("line", right=True), Column("variable"),
    Column("held", right=True), Column("right", right=True), Column(),
)  # fmt: skip


def value_blocks(result: PuzzleResult, view: View) -> Blocks:
    """Return the numbers of a row, where they were asked for; a page leaves out what says nothing."""
    states = result.states
    if states is None:
        return []
    title = Heading("Values", about_row(states))
    elements = _elements(states)
    held: list[Block] = []
    if states.variables:
        table = _variables(states.variables, view)
        held += [Gap(), Replay(states, table, list(_code(result, states)), view.linked)]
    if states.note:
        held.append(Paragraph(states.note, "dim"))
    never_ran = any(finding.code == COMPILE_ERROR for finding in result.findings)
    some_wrong = any(not one.right for one in states.elements)
    whole = [title, *([elements] if some_wrong else []), *held]
    return [Brief([title, elements, *held], whole if (some_wrong or held) and not never_ran else [])]


def _code(result: PuzzleResult, states: RowStates) -> Iterator[list[SourceLine]]:
    """Yield the functions in which variables were assigned, as far as that is near."""
    steps = {one.line for one in states.variables}
    for listing in listings(result.file.opened, (), steps):
        here = [line for line in steps if listing.first <= line < listing.first + len(listing.lines)]
        around = range(min(here) - BEFORE, max(here) + BEHIND + 1) if here else range(0)
        lines = enumerate(listing.lines, listing.first)
        yield [SourceLine(number, text) for number, text in lines if number in around]


def about_row(states: RowStates) -> str:
    """Return which row it is: `row 0 of y in "late maximum"`."""
    is_vector = all(len(one.index) < 2 for one in states.elements)
    row = one_line(states.output) if is_vector else f"{states.row_word} {states.row} of {one_line(states.output)}"
    return f'{row} in "{one_line(states.case)}"'


def place(one: ElementValue) -> str:
    """Return an element's index in brackets."""
    return f"[{', '.join(map(str, one.index))}]"


def _elements(states: RowStates) -> Table:
    rows = [(_mark(one), place(one), six_digits(one.got), six_digits(one.expected)) for one in states.elements]
    return Table(ELEMENTS, rows, "numbers", heads_low=True)


def _variables(variables: Sequence[VariableValue], view: View) -> Table:
    """Return a table with a line for each assignment; the iteration stands where it changes.

    Where seven columns have no room, each is a sentence.
    """
    narrow = view.width < WIDE
    shown = {one.turn for one in variables} if view.verbose else telling_turns(variables)
    rows: list[Sequence[Cell]] = []
    before, left_out = 0, False
    for one in variables:
        if one.turn not in shown:
            if not left_out:
                rows.append(["", Text("...", style="dim"), *[""] * (0 if narrow else 5)])
            left_out = True
            continue
        left_out = False
        turn = "" if one.turn == before else str(one.turn)
        before = one.turn
        numbers = six_digits(one.got), six_digits(one.expected)
        if narrow:
            place = f"iteration {turn}, line {one.line}" if turn else f"line {one.line}"
            rows.append([_mark(one), f"{place}: {one_line(one.name)} is {numbers[0]}, right {numbers[1]}"])
        else:
            words = str(one.line), one_line(one.name), *numbers, Text(one.quantity, style="dim")
            rows.append([_mark(one), turn, *words])
    return Table((Column(), Column()) if narrow else VARIABLES, rows, "numbers", heads_low=True)


def telling_turns(variables: Sequence[VariableValue]) -> set[int]:
    """Return the first iteration and the last, and those where something is first wrong and just before."""
    turns = sorted({one.turn for one in variables})
    wrong = next((one.turn for one in variables if not one.right), turns[0])
    before = max((turn for turn in turns if turn < wrong), default=turns[0])
    return {turns[0], before, wrong, turns[-1]}


def _mark(one: ElementValue | VariableValue) -> Text:
    return RIGHT if one.right else WRONG
