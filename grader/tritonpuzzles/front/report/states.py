"""One row in numbers: what came out, and what the kernel's variables held, beside what is right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from rich.table import Table
from rich.text import Text

from tritonpuzzles.front.report.style import Lines, View, heading, indented
from tritonpuzzles.front.text import one_line
from tritonpuzzles.results.check import PuzzleResult, Report
from tritonpuzzles.results.states import ElementValue, RowStates, VariableValue

AnyReport = TypeVar("AnyReport", bound=Report)
RIGHT, WRONG = Text("✓", "green"), Text("✗", "bold red")


def state_lines(result: PuzzleResult, view: View) -> Lines:
    """Return the numbers of a row, where they were asked for."""
    states = result.states
    if states is None:
        return []
    lines = heading("Values", about_row(states))
    lines.append(indented(_elements(states)))
    if states.variables:
        lines += [Text(), indented(_variables(states.variables, view))]
    if states.note:
        lines.append(indented(Text(states.note, style="dim")))
    return lines


def without_values(report: AnyReport) -> AnyReport:
    """Leave out the numbers, which only HTML shows unasked."""
    return replace(report, results=tuple(replace(result, states=None) for result in report.results))


def about_row(states: RowStates) -> str:
    """Return which row it is: `row 0 of y in "late maximum"`."""
    is_vector = all(len(one.index) < 2 for one in states.elements)
    row = one_line(states.output) if is_vector else f"{states.row_word} {states.row} of {one_line(states.output)}"
    return f'{row} in "{one_line(states.case)}"'


def place(one: ElementValue) -> str:
    """Return an element's index in brackets."""
    return f"[{', '.join(map(str, one.index))}]"


def _elements(states: RowStates) -> Table:
    table = _table("element", "got", "expected")
    for one in states.elements:
        table.add_row(_mark(one.right), Text(place(one)), Text(number(one.got)), Text(number(one.expected)))
    return table


def _variables(variables: Sequence[VariableValue], view: View) -> Table:
    """Return a table with a line for each assignment; the turn stands where it changes."""
    table = _table("turn", "line", "variable", "held", "right", "", numbers=(1, 2, 4, 5))
    shown = {one.turn for one in variables} if view.verbose else telling_turns(variables)
    before, left_out = 0, False
    for one in variables:
        if one.turn not in shown:
            if not left_out:
                table.add_row("", Text("...", style="dim"))
            left_out = True
            continue
        left_out = False
        turn = "" if one.turn == before else str(one.turn)
        before = one.turn
        table.add_row(
            _mark(one.right),
            Text(turn),
            Text(str(one.line)),
            Text(one_line(one.name)),
            Text(number(one.got)),
            Text(number(one.expected)),
            Text(one.quantity, style="dim"),
        )
    return table


def telling_turns(variables: Sequence[VariableValue]) -> set[int]:
    """Return the first turn and the last, and those where something is wrong for the first time and just before."""
    turns = sorted({one.turn for one in variables})
    wrong = next((one.turn for one in variables if not one.right), turns[0])
    before = max((turn for turn in turns if turn < wrong), default=turns[0])
    return {turns[0], before, wrong, turns[-1]}


def _table(*columns: str, numbers: Sequence[int] = (2, 3)) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, show_edge=False, header_style="dim")
    for place, name in enumerate(("", *columns)):
        table.add_column(name, justify="right" if place in numbers else "left", overflow="fold")
    return table


def _mark(right: bool) -> Text:
    return RIGHT if right else WRONG


def number(value: float) -> str:
    """Return a number with as many digits as float32 has."""
    return f"{value:.6g}"
