"""`tritonpuzzles trace`: the memory ledger line by line, beside the learner's code."""

from __future__ import annotations

from pathlib import Path

import click

from tritonpuzzles.front import console
from tritonpuzzles.front.console import status_line
from tritonpuzzles.front.errors import ExitCode
from tritonpuzzles.front.grading import Source, select_one
from tritonpuzzles.front.judge_process import judged
from tritonpuzzles.front.options import PATH, dark_option, example, one_file_options, with_case
from tritonpuzzles.front.page.model import View
from tritonpuzzles.front.pictures import refuse_bad_plot, save
from tritonpuzzles.front.report.trace import trace_data, trace_lines
from tritonpuzzles.front.workspace.folder import shown
from tritonpuzzles.judge.options import CheckOptions


@click.command(epilog=example("trace 3", "trace 3 --plot picture.png --dark", 'trace 3 --case "late maximum"'))
@one_file_options
@click.option("--case", metavar="NAME", help="Run this case alone, and show it.")
@click.option("--plot", type=PATH, metavar="FILE", help="Draw it too: a .png or .svg file.")
@dark_option
def trace_command(
    name: str | None,
    solution: bool,
    file: Path | None,
    seed: int | None,
    timeout: float | None,
    as_json: bool,
    case: str | None,
    plot: Path | None,
    dark: bool,
) -> int:
    """Show what each line of a kernel reads and writes.

    Counts in multiples of the tensors' sizes. Runs every CPU case, and shows the one that `check` names. If the kernel
    passes, it shows the largest case, or with --plot one of few programs and tiles. The picture shows which program
    reads and writes which element, the tiles of one program in order of time, where wrong elements lie, and the traffic
    beside its limits.

    Exit codes: 0 the traffic was counted, 1 the file does not run or there is nothing to draw, 2 usage, 3 a fault of
    the grader or its environment.
    """
    refuse_bad_plot(plot, dark)
    _, puzzle, submission = select_one("trace", name, Source.of(solution=solution, file=file))
    from tritonpuzzles.judge.trace import trace

    with status_line() as say:
        puzzle = puzzle if case is None else with_case(puzzle, case, "cpu")
        options = CheckOptions("cpu", seed, timeout, case=case)
        found = judged(trace, puzzle, submission, options, progress=say, picture=plot is not None)
    drawn = plot is None or save(found, plot, dark=dark)
    if as_json:
        console.show_json(trace_data(found))
    else:
        console.show(lambda width: trace_lines(found, View(width)))
    if found.instead is not None:
        console.warn(found.instead)
    if found.no_picture is not None:
        console.warn(found.no_picture)
    elif plot is not None and drawn:
        console.tell_written(shown(plot))
    return ExitCode.PASS if found.case is not None and drawn else ExitCode.FAIL
