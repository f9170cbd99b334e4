"""`tritonpuzzles trace`: the memory ledger line by line, beside the learner's code."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from tritonpuzzles.front import console
from tritonpuzzles.front.commands.arguments import example
from tritonpuzzles.front.errors import ExitCode
from tritonpuzzles.front.grading import Source, select_one
from tritonpuzzles.front.options import PATH, one_file_options
from tritonpuzzles.front.pictures import plot_format, require_matplotlib, save
from tritonpuzzles.front.report.style import View
from tritonpuzzles.front.report.trace import trace_data, trace_lines
from tritonpuzzles.front.status import status_line
from tritonpuzzles.front.workspace.folder import shown
from tritonpuzzles.judge.options import CheckOptions


@click.command(epilog=example("trace 3", "trace 3 --plot picture.png", "trace 5 --file ~/attempt.py --json"))
@one_file_options
@click.option("--plot", type=PATH, metavar="FILE", help="Draw it too: a .png or .svg file.")
def command(
    name: str | None,
    solution: bool,
    file: Path | None,
    seed: int | None,
    timeout: float | None,
    as_json: bool,
    plot: Path | None,
) -> int:
    """Show what each line of a kernel reads and writes, in multiples of the tensors' sizes.

    Runs every CPU case, and shows the one that `check` shows: the largest, one over its limits first. A picture shows a
    case with a few programs and tiles, one with wrong values if there is one: which program reads and writes which
    element, the tiles of one program in order of time, where wrong elements lie, and the traffic beside its limits.

    Exit codes: 0 there is a ledger, 1 the file does not run or there is nothing to draw, 2 usage, 3 a fault of the
    grader or its environment.
    """
    if plot is not None:
        plot_format(plot)
        require_matplotlib()
    _, puzzle, submission = select_one("trace", name, Source.of(solution=solution, file=file))
    from tritonpuzzles.judge.trace import trace

    with status_line() as say:
        found = trace(puzzle, submission, CheckOptions("cpu", seed, timeout), say, picture=plot is not None)
    drawn = plot is None or save(found, plot)
    if as_json:
        sys.stdout.write(json.dumps(trace_data(found), indent=2, allow_nan=False) + "\n")
    else:
        out = console.stdout()
        for line in trace_lines(found, View(out.width)):
            out.print(line)
    if found.no_picture is not None:
        console.warn(found.no_picture)
    elif plot is not None and drawn:
        console.tell_written(shown(plot))
    return ExitCode.PASS if found.case is not None and drawn else ExitCode.FAIL
