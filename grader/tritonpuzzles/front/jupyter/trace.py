"""`%trace`: the pictures of a trace, and below them its ledger line by line."""

from __future__ import annotations

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front.commands.trace import command
from tritonpuzzles.front.console import printed_in_colour
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.grading import Source, select_one
from tritonpuzzles.front.jupyter.display import show_sentences
from tritonpuzzles.front.jupyter.line import Line, current_line, new_line
from tritonpuzzles.front.jupyter.missing import refuse_missing_file
from tritonpuzzles.front.jupyter.pictures import show_picture
from tritonpuzzles.front.jupyter.run import run, show_printed
from tritonpuzzles.front.notebook.line import parsed, words
from tritonpuzzles.front.one_case import with_case
from tritonpuzzles.front.page.model import View
from tritonpuzzles.front.pictures import to_png, trace_pictures
from tritonpuzzles.front.report.trace import trace_lines
from tritonpuzzles.interrupts import uninterrupted
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.results.trace import Trace

WHAT = frozenset(
    {"name", "solution", "file", "seed", "timeout", "case"}
)  # to trace; other options say where to write it
WIDTH = 100


def trace(line: str) -> None:
    """Show what a kernel reads and writes: `%trace 3`, with the options of `tritonpuzzles trace`."""
    params = parsed(command, "%trace", line)
    if any(value for name, value in params.items() if name not in WHAT):
        return run(["trace", *words(line)])
    source = Source.of(params["solution"], params["file"])
    if source.own:
        source = Source(by_cells=True)
    shown = current_line()
    shown.say("Tracing: starting")
    _, puzzle, file = select_one("trace", params["name"], source)
    refuse_missing_file(puzzle, file, source.own)
    case = params["case"]
    options = CheckOptions("cpu", params["seed"], params["timeout"], case=case)
    found = _traced(puzzle if case is None else with_case(puzzle, case, "cpu"), file, options, shown)
    show_printed(shown, printed_in_colour(trace_lines(found, View(WIDTH)), WIDTH))
    _show_pictures(found)


def _traced(puzzle: Puzzle, file: Submission, options: CheckOptions, shown: Line) -> Trace:
    with uninterrupted():  # it imports torch
        from tritonpuzzles.judge.trace import trace

    return trace(puzzle, file, options, shown.say, picture=True)


def _show_pictures(found: Trace) -> None:
    """Show the pictures, or say why there are none: the ledger needs no matplotlib."""
    try:
        for light, dark, told in trace_pictures(found):
            show_picture(to_png(light), to_png(dark), told)
    except FrontError as error:
        with new_line() as line:
            show_sentences(line, error.message, error.next_step)
        return
    for sentence in (found.instead, found.no_picture):
        if sentence:
            with new_line() as line:
                show_sentences(line, sentence)
