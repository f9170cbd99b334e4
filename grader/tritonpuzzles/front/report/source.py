"""Source files: functions, found without importing the file, and a whole file with messages on its lines.

Also one row in numbers: the output, and what the kernel's variables held, beside the right values.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Container, Iterator, Sequence
from pathlib import Path

from rich.text import Text

from tritonpuzzles.front.page.model import (
    RIGHT,
    WRONG,
    Block,
    Blocks,
    Brief,
    Cell,
    Column,
    Fold,
    Gap,
    Heading,
    Paragraph,
    Replay,
    Said,
    Source,
    SourceLine,
    Table,
    View,
)
from tritonpuzzles.front.report.findings import QUIET, SIGNS, source_of
from tritonpuzzles.front.report.naming import line_anchor
from tritonpuzzles.front.report.traffic import times
from tritonpuzzles.front.story import split
from tritonpuzzles.front.text import called, harmless, one_line, shared_names, six_digits
from tritonpuzzles.results.check import PuzzleResult
from tritonpuzzles.results.codes import COMPILE_ERROR, Severity
from tritonpuzzles.results.cover import grouped
from tritonpuzzles.results.states import ElementValue, RowStates, VariableValue
from tritonpuzzles.results.traffic import LineTraffic
from tritonpuzzles.results.words import plural

KINDS = {Severity.ERROR: "page-wrong", Severity.WARNING: "page-warning"}
BEFORE, BEHIND = 6, 4  # lines of code that are shown around those of the steps
WIDE = 60  # columns from which the table of variables has room
ELEMENTS = (Column(), Column("element"), Column("got", right=True), Column("expected", right=True))
VARIABLES = (
    Column(), Column("iteration", right=True), Column("line", right=True), Column("variable"),
    Column("held", right=True), Column("right", right=True), Column(),
)  # fmt: skip


def listings(path: Path, names: Collection[str], numbers: Collection[int]) -> list[tuple[str, dict[int, str]]]:
    """Return the functions of a file that are called so or hold one of the lines, decorators included.

    Returns:
        Name and lines by number, in the order of the file; nothing for a file that cannot be read or does not parse.
    """
    try:
        source = source_of(path)
        functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    except (OSError, SyntaxError, ValueError, RecursionError):
        return []
    spans = {
        (min([node.lineno, *(it.lineno for it in node.decorator_list)]), node.end_lineno or node.lineno): node.name
        for node in functions
    }
    wanted = sorted(
        (first, last)
        for (first, last), name in spans.items()
        if name in names or any(first <= number <= last for number in numbers)
    )
    lines = source.split("\n")
    outer = [span for span in wanted if not any(o[0] <= span[0] and span[1] <= o[1] and o != span for o in wanted)]
    return [(spans[first, last], dict(enumerate(lines[first - 1 : last], first))) for first, last in outer]


def moves(line: LineTraffic, shared: Container[str] = ()) -> Iterator[str]:
    """Yield what a line does to a tensor: `x_ptr read 1.00x`; see `called`."""
    kinds = {"read": line.loaded_bytes, "written": line.stored_bytes, "atomic": line.atomic_bytes}
    for word, moved in kinds.items():
        if moved:
            amount = times(moved / line.tensor_bytes) if line.tensor_bytes else plural(moved, "byte")
            yield f"{called(line, shared)} {word} {amount}"


def margins(result: PuzzleResult) -> dict[int, list[str]]:
    """Return what lines of the file that was checked move, by their numbers."""
    found: dict[int, list[str]] = {}
    shared = shared_names(result.lines)
    for line in result.lines:
        if line.file == str(result.file):
            found.setdefault(line.line, []).extend(moves(line, shared))
    return found


def file_blocks(result: PuzzleResult, cut: Callable[[str], str]) -> Blocks:
    """Return the whole file that was checked, each line with an anchor, or why it cannot be shown.

    The story is folded, unless a message is about one of its lines.
    """
    try:
        text = source_of(result.file.opened).rstrip("\n")
    except OSError as error:
        return [Paragraph(f"The file cannot be shown: {error.strerror}.", "dim")]
    margin, said = margins(result), _said(result, cut)
    lines = [
        SourceLine(number, line, margin.get(number, ()), said.get(number, ()), line_anchor(result, number))
        for number, line in enumerate(text.split("\n"), 1)
    ]
    end = split(text).story.count("\n")
    if not end or any(number <= end for number in (*margin, *said)):
        return [Source(lines)]
    return [Fold(f"The story, lines 1 to {end}", [Source(lines[:end])]), Source(lines[end:])]


def _said(result: PuzzleResult, cut: Callable[[str], str]) -> dict[int, list[Said]]:
    """Return what is wrong with lines of the file; a note only keeps its line from being folded."""
    said: dict[int, list[Said]] = {}
    for finding in (group.first for group in grouped(result.findings) if group.first.code not in QUIET):
        if finding.line and finding.file in (str(result.file), None):
            below = said.setdefault(finding.line, [])
            if finding.severity is not Severity.NOTE:
                words = f"{SIGNS[finding.severity][0]} {cut(harmless(finding.message)).partition(chr(10))[0]}"
                below.append(Said(words, KINDS[finding.severity]))
    return said


def value_blocks(result: PuzzleResult, view: View) -> Blocks:
    """Return the numbers of a row, if they were requested; a page leaves out tables without information."""
    states = result.states
    if states is None:
        return []
    is_vector = all(len(one.index) < 2 for one in states.elements)
    row = one_line(states.output) if is_vector else f"{states.row_word} {states.row} of {one_line(states.output)}"
    title = Heading("Values", f'{row} in "{one_line(states.case)}"')
    rows = [
        (_mark(one), f"[{', '.join(map(str, one.index))}]", six_digits(one.got), six_digits(one.expected))
        for one in states.elements
    ]
    elements = Table(ELEMENTS, rows, "numbers", heads_low=True)
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
    """Yield the functions in which variables were assigned, with the lines near the assignments."""
    steps = {one.line for one in states.variables}
    for _, lines in listings(result.file.opened, (), steps):
        here = steps & lines.keys()
        around = range(min(here) - BEFORE, max(here) + BEHIND + 1)
        yield [SourceLine(number, text) for number, text in lines.items() if number in around]


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
    """Return the first and the last iteration, the first one with a wrong value, and the one before it."""
    turns = sorted({one.turn for one in variables})
    wrong = next((one.turn for one in variables if not one.right), turns[0])
    before = max((turn for turn in turns if turn < wrong), default=turns[0])
    return {turns[0], before, wrong, turns[-1]}


def _mark(one: ElementValue | VariableValue) -> Text:
    return RIGHT if one.right else WRONG
