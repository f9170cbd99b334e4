"""`%trace` and `%bench`: what the commands of these names print, and pictures below it.

A picture is light or dark as the notebook's theme, told in words to those who cannot see it. The light one stands in
the image itself, the dark one in a style sheet. Where a sanitizer takes the style away, or only PNG is shown, the light
one is left.
"""

from __future__ import annotations

import importlib.util
import tempfile
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

from markupsafe import Markup

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front.commands.bench import bench_command
from tritonpuzzles.front.commands.trace import trace_command
from tritonpuzzles.front.console import printed_in_colour
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.grading import Source, select_one
from tritonpuzzles.front.judge_process import judged
from tritonpuzzles.front.jupyter.checking import refuse_missing_file
from tritonpuzzles.front.jupyter.display import (
    Line,
    current_line,
    new_line,
    run,
    show_png,
    show_printed,
    show_sentences,
)
from tritonpuzzles.front.notebook.line import parsed, words
from tritonpuzzles.front.notebook.line import run as run_command
from tritonpuzzles.front.options import with_case
from tritonpuzzles.front.page.model import View
from tritonpuzzles.front.pictures import to_png, trace_pictures
from tritonpuzzles.front.report.trace import trace_lines
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.results.trace import Trace

# JupyterLab, VS Code and others say on <html> or <body> which theme they have; else the system's holds.
_DARK = '[data-jp-theme-light="false"], .vscode-dark, [data-theme="dark"]'
_UNSAID = "html:not([data-theme]) body:not([data-jp-theme-light], .vscode-light, .vscode-dark, [data-theme])"
_HTML = Markup("""<style>
:is({dark}) .{name} {{ content: url("{image}"); }}
@media screen and (prefers-color-scheme: dark) {{ {unsaid} .{name} {{ content: url("{image}"); }} }}
</style>
<img class="{name}" src="{light}" alt="{words}" style="max-width: 100%">""")
WHAT = frozenset(
    {"name", "solution", "file", "seed", "timeout", "case"}
)  # other options of trace say where to write it
WIDTH = 100


def trace(line: str) -> None:
    """Show what a kernel reads and writes: `%trace 3`, with the options of `tritonpuzzles trace`."""
    params = parsed(trace_command, "%trace", line)
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
    from tritonpuzzles.judge.trace import trace

    return judged(trace, puzzle, file, options, progress=shown.say, picture=True)


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


def show_picture(light: bytes, dark: bytes, words: str) -> None:
    """Show a picture under the cell."""
    from IPython.display import display

    bundle = {
        "text/html": picture_html(light, dark, words),
        "image/png": b64encode(light).decode(),
        "text/plain": words,
    }
    display(bundle, raw=True)


def picture_html(light: bytes, dark: bytes, words: str) -> str:
    """Return a picture as HTML with a style of its own: PNG for a light theme and a dark one, and what it shows."""
    name = f"tp-picture-{sha256(dark).hexdigest()[:12]}"
    return str(
        _HTML.format(
            dark=Markup(_DARK), unsaid=Markup(_UNSAID), name=name, image=_data(dark), light=_data(light), words=words
        )
    )


def _data(png: bytes) -> Markup:
    return Markup("data:image/png;base64,{}").format(b64encode(png).decode())
