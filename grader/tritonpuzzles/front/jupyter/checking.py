"""`%%puzzle` and `%check`: the report of a cell's own text, or of files, in the place where the progress stood."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front.check import checked
from tritonpuzzles.front.commands.check import check_command, request_of
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.grading import Cell, Graded, Request, Source, grade, next_unsolved, select
from tritonpuzzles.front.jupyter.display import ShownReport, current_line, in_notebook, run
from tritonpuzzles.front.jupyter.workspace import notebook_link
from tritonpuzzles.front.notebook.line import parsed, solve, words
from tritonpuzzles.front.notebook.place import place
from tritonpuzzles.front.notebook.submitted import cell_submission
from tritonpuzzles.front.options import puzzle_named, workspace_to_change
from tritonpuzzles.front.workspace.folder import shown
from tritonpuzzles.front.workspace.progress import hash_of
from tritonpuzzles.results.check import Verdict
from tritonpuzzles.results.submission import Submission

WHAT = ("names", "solution", "file", "solutions", "device", "gpu", "seed", "timeout", "verbose", "case")  # to check


def check_cell(line: str, cell: str) -> ShownReport:
    """Check the cell and write it to the puzzle's file: `%%puzzle 3`, with the options of `tritonpuzzles check`."""
    params = parsed(solve, "%%puzzle", line)
    replacing = params.pop("replace")
    request = _request(params)
    if _elsewhere(params) or not request.source.own or len(request.names) != 1:
        raise FrontError("%%puzzle takes one puzzle, and checks the cell.", "%%puzzle 3 --seed 1")
    chosen = puzzle_named(request.names[0])
    placed = place(workspace_to_change(), chosen, cell, replacing)
    current_line().done = placed.notes
    own = Cell(cell_submission(chosen, cell), hash_of(placed.text), placed.is_work)
    graded = _graded(replace(request, source=Source(cell=own)))
    report = checked(graded, placed.notes, placed.question)
    if placed.is_work and report.results[0].verdict is Verdict.UNSOLVED:
        report = replace(report, next_step="write the part of this cell that is marked TODO, and run it again")
    return in_notebook(report, current_line(), _onward(graded))


def check(line: str) -> ShownReport | None:
    """Check files: `%check 3`, with the options of `tritonpuzzles check`."""
    params = parsed(check_command, "%check", line)
    if _elsewhere(params):
        run(["check", *words(line)])
        return None
    request = _request(params)
    refuse_missing(request)
    graded = _graded(replace(request, source=replace(request.source, by_cells=True)))
    return in_notebook(checked(graded), current_line(), _onward(graded))


def _request(params: dict[str, Any]) -> Request:
    return request_of(**{name: params[name] for name in WHAT}, values=True)


def _elsewhere(params: dict[str, Any]) -> bool:
    """Return whether an option wants the report as something else than the cell's result, such as a file."""
    return any(value for name, value in params.items() if name not in (*WHAT, "values"))


def _graded(request: Request) -> Graded:
    line = current_line()
    names = " ".join(request.names) or "the next puzzle"
    line.say(f"Checking {'puzzle ' if names[0].isdigit() else ''}{names}: starting")
    return grade(request, line.say)


def _onward(graded: Graded) -> tuple[str, str] | None:
    """Return the link to the notebook of the next puzzle, behind a pass of the learner's own."""
    following = next_unsolved(graded.curriculum, graded.progress)
    if not graded.report.passed or not graded.source.own or graded.case is not None or following is None:
        return None
    link = notebook_link(following)
    return (f"{following.number}. {following.title}", link) if link is not None else None


def refuse_missing(request: Request) -> None:
    """Refuse to check one file that is not there; of several the report says it.

    Raises:
        FrontError: with how to get it back.
    """
    items = select(request, lambda _: None).items  # a warning is given by the check itself
    if len(items) == 1:
        refuse_missing_file(*items[0], request.source.own)


def refuse_missing_file(puzzle: Puzzle, file: Submission, own: bool) -> None:
    """Refuse to go on with a file that is not there.

    Raises:
        FrontError: with how to get it back.
    """
    if not file.opened.exists():
        step = f"tritonpuzzles reset {puzzle.number} puts the stub there" if own else "name a file that is there"
        raise FrontError(f"There is no {shown(file.opened)}.", step)
