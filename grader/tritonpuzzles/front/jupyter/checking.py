"""`%%puzzle`, `%check`, `%trace` and `%bench`: reports and output of commands, which replace the progress line.

A picture matches the notebook's light or dark theme and has a description in words. The light version is in the image
element, the dark one in a style sheet: where a sanitizer removes the style sheet, the light version is shown.
"""

from __future__ import annotations

import importlib.util
import tempfile
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from markupsafe import Markup

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front.check import checked
from tritonpuzzles.front.commands.bench import bench_command
from tritonpuzzles.front.commands.check import check_command
from tritonpuzzles.front.commands.inspect import trace_command
from tritonpuzzles.front.console import printed
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.grading import Cell, Graded, Request, Source, grade, next_unsolved, select, select_one
from tritonpuzzles.front.judge_process import judged
from tritonpuzzles.front.jupyter.display import (
    ShownReport,
    current_line,
    in_notebook,
    new_line,
    run,
    show_png,
    show_printed,
    show_sentences,
)
from tritonpuzzles.front.jupyter.workspace import notebook_link
from tritonpuzzles.front.notebook.line import parsed, run_command, solve, words
from tritonpuzzles.front.notebook.place import place
from tritonpuzzles.front.notebook.submitted import cell_submission
from tritonpuzzles.front.options import predicted_gpu, puzzle_named, with_case, workspace_to_change
from tritonpuzzles.front.page.markup import data_uri
from tritonpuzzles.front.page.model import View
from tritonpuzzles.front.pictures import to_png, trace_pictures
from tritonpuzzles.front.report.trace import trace_lines
from tritonpuzzles.front.workspace.folder import shown
from tritonpuzzles.front.workspace.progress import hash_of
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results.check import Verdict
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.results.trace import Trace

WHAT = ("names", "solution", "file", "solutions", "device", "gpu", "seed", "timeout", "verbose", "case")  # to check
# JupyterLab, VS Code and others mark their theme on <html> or <body>; otherwise the system's theme applies.
_DARK = '[data-jp-theme-light="false"], .vscode-dark, [data-theme="dark"]'
_UNSAID = "html:not([data-theme]) body:not([data-jp-theme-light], .vscode-light, .vscode-dark, [data-theme])"
_HTML = Markup("""<style>
:is({dark}) .{name} {{ content: url("{image}"); }}
@media screen and (prefers-color-scheme: dark) {{ {unsaid} .{name} {{ content: url("{image}"); }} }}
</style>
<img class="{name}" src="{light}" alt="{words}" style="max-width: 100%">""")
TRACED = frozenset({"name", "solution", "file", "seed", "timeout", "case"})  # the other options say where to write
COLUMNS = 100


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
    items = select(request, lambda _: None).items  # a warning is given by the check itself
    if len(items) == 1:  # of several the report says it
        refuse_missing_file(*items[0], request.source.own)
    graded = _graded(replace(request, source=replace(request.source, by_cells=True)))
    return in_notebook(checked(graded), current_line(), _onward(graded))


def _request(params: dict[str, Any]) -> Request:
    source = Source.of(params["solution"], params["file"], params["solutions"])
    how = {name: params[name] for name in ("device", "seed", "timeout", "verbose", "case")}
    return Request(params["names"], source, CheckOptions(**how, values=True, gpu=predicted_gpu(params["gpu"])))


def _elsewhere(params: dict[str, Any]) -> bool:
    """Return whether an option requests other output than the cell's result, such as a file."""
    return any(value for name, value in params.items() if name not in (*WHAT, "values"))


def _graded(request: Request) -> Graded:
    line = current_line()
    names = " ".join(request.names) or "the next puzzle"
    line.say(f"Checking {'puzzle ' if names[0].isdigit() else ''}{names}: starting")
    return grade(request, line.say)


def _onward(graded: Graded) -> tuple[str, str] | None:
    """Return the link to the next puzzle's notebook, after a pass of the learner's own file."""
    following = next_unsolved(graded.curriculum, graded.progress)
    if not graded.report.passed or not graded.source.own or graded.case is not None or following is None:
        return None
    link = notebook_link(following)
    return (f"{following.number}. {following.title}", link) if link is not None else None


def refuse_missing_file(puzzle: Puzzle, file: Submission, own: bool) -> None:
    """Refuse a file that does not exist.

    Raises:
        FrontError: with how to get it back.
    """
    if not file.opened.exists():
        step = f"tritonpuzzles reset {puzzle.number} puts the stub there" if own else "name a file that is there"
        raise FrontError(f"There is no {shown(file.opened)}.", step)


def trace(line: str) -> None:
    """Show what a kernel reads and writes: `%trace 3`, with the options of `tritonpuzzles trace`."""
    params = parsed(trace_command, "%trace", line)
    if any(value for name, value in params.items() if name not in TRACED):
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
    from tritonpuzzles.judge.trace import trace

    puzzle = puzzle if case is None else with_case(puzzle, case, "cpu")
    found = judged(trace, puzzle, file, options, progress=shown.say, picture=True)
    show_printed(shown, printed(trace_lines(found, View(COLUMNS)), COLUMNS, colour=True))
    _show_pictures(found)


def _show_pictures(found: Trace) -> None:
    """Show the pictures, or say why there are none: the ledger needs no matplotlib."""
    from IPython.display import display

    try:
        for light, dark, told in trace_pictures(found):
            png = to_png(light)
            html = picture_html(png, to_png(dark), told)
            display({"text/html": html, "image/png": b64encode(png).decode(), "text/plain": told}, raw=True)
    except FrontError as error:
        with new_line() as line:
            show_sentences(line, error.message, error.next_step)
        return
    for sentence in (found.instead, found.no_picture):
        if sentence:
            with new_line() as line:
                show_sentences(line, sentence)


def bench(line: str) -> None:
    """Time a kernel on a GPU: `%bench 3`, with the options of `tritonpuzzles bench`."""
    params = parsed(bench_command, "%bench", line)
    if params["plot"] or params["as_json"] or importlib.util.find_spec("matplotlib") is None:
        return run_command(["bench", *words(line)])
    with tempfile.TemporaryDirectory(prefix="tritonpuzzles-") as folder:
        plot = Path(folder) / "bench.png"
        run_command(["bench", *words(line), "--plot", str(plot)])
        if plot.exists():
            show_png(plot.read_bytes())


def picture_html(light: bytes, dark: bytes, words: str) -> str:
    """Return a picture as HTML with its own style: PNGs for a light theme and a dark one, and its description."""
    name = f"tp-picture-{sha256(dark).hexdigest()[:12]}"
    pictures = {"image": data_uri("image/png", dark), "light": data_uri("image/png", light)}
    return str(_HTML.format(dark=Markup(_DARK), unsaid=Markup(_UNSAID), name=name, **pictures, words=words))
