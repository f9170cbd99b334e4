"""`%trace`: the pictures of a trace, and below them its ledger line by line."""

from __future__ import annotations

import sys

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front.cli import report_error
from tritonpuzzles.front.commands.trace import command
from tritonpuzzles.front.console import printed
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.grading import Source, select_one
from tritonpuzzles.front.jupyter.display import as_magics
from tritonpuzzles.front.jupyter.pictures import show_picture
from tritonpuzzles.front.notebook.line import parsed, run, words
from tritonpuzzles.front.one_case import with_case
from tritonpuzzles.front.pictures import to_png, trace_figures, trace_words
from tritonpuzzles.front.report.style import View
from tritonpuzzles.front.report.trace import trace_lines
from tritonpuzzles.front.text import harmless
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.results.trace import Trace

WHAT = {
    "name",
    "solution",
    "file",
    "seed",
    "timeout",
    "case",
}  # options that say what to trace; others, where to write it
WIDTH = 100


def trace(line: str) -> None:
    """Show what a kernel reads and writes: `%trace 3`, with the options of `tritonpuzzles trace`."""
    params = parsed(command, "%trace", line)
    if any(value for name, value in params.items() if name not in WHAT):
        return run(["trace", *words(line)])
    _, puzzle, file = select_one("trace", params["name"], Source.of(params["solution"], params["file"]))
    case = params["case"]
    options = CheckOptions("cpu", params["seed"], params["timeout"], case=case)
    found = _traced(puzzle if case is None else with_case(puzzle, case, "cpu"), file, options)
    _show_pictures(found)
    sys.stdout.write(as_magics(printed(trace_lines(found, View(WIDTH)), WIDTH)))


def _traced(puzzle: Puzzle, file: Submission, options: CheckOptions) -> Trace:
    from tritonpuzzles.judge.trace import trace

    return trace(puzzle, file, options, picture=True)


def _show_pictures(found: Trace) -> None:
    """Show the pictures, or say why there are none: the ledger below needs no matplotlib."""
    try:
        figures = zip(trace_figures(found), trace_figures(found, dark=True), trace_words(found), strict=True)
        for light, dark, told in figures:
            show_picture(to_png(light), to_png(dark), told)
        if found.instead:
            sys.stdout.write(f"{harmless(found.instead)}\n\n")
        if found.no_picture:
            sys.stdout.write(f"No picture: {harmless(found.no_picture)}\n\n")
    except FrontError as error:
        report_error(error)
