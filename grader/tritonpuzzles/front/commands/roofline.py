"""`tritonpuzzles roofline`: what a GPU's memory and arithmetic let each puzzle reach."""

from __future__ import annotations

from pathlib import Path

import click

from tritonpuzzles.front import console
from tritonpuzzles.front.console import status_line
from tritonpuzzles.front.errors import ExitCode
from tritonpuzzles.front.grading import Request, Source, select
from tritonpuzzles.front.judge_process import judged
from tritonpuzzles.front.options import PATH, SECONDS, SEED, dark_option, example, finite, several_puzzles
from tritonpuzzles.front.page.model import View
from tritonpuzzles.front.pictures import refuse_bad_plot, roofline_figure, write
from tritonpuzzles.front.report.roofline import roofline_data, roofline_lines
from tritonpuzzles.front.roofline import choose_gpu, measured_on, refuse_without_figures
from tritonpuzzles.front.workspace.folder import shown
from tritonpuzzles.judge.options import CheckOptions


@click.command(epilog=example("roofline --plot roofline.png", "roofline 1-3 --solution --gpu A100 --plot roofline.svg"))
@click.argument("names", metavar="[N ... | 0-8 | all | slug]", nargs=-1, shell_complete=several_puzzles)
@click.option("--plot", type=PATH, metavar="FILE", help="Draw it: a .png or .svg file.")
@dark_option
@click.option("--gpu", metavar="NAME", help="Such as H200 or A100; by default the one that your files were timed on.")
@click.option("--solution", is_flag=True, help="Take the shipped solutions.")
@click.option("--seed", type=SEED, help="Of the inputs; else a new one each time.")
@click.option("--timeout", type=SECONDS, callback=finite, help="Seconds per stage.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    names: tuple[str, ...],
    plot: Path | None,
    dark: bool,
    gpu: str | None,
    solution: bool,
    seed: int | None,
    timeout: float | None,
    as_json: bool,
) -> int:
    """Show how many operations each puzzle does per byte, and the speed that a GPU allows for that.

    Counts on the CPU; no GPU is needed. A rate that `check` has measured on such a GPU stands beside what it allows.

    Exit codes: 0 every puzzle has a point, 1 at least one has none, 2 usage, 3 a fault of the grader or its
    environment.
    """
    refuse_bad_plot(plot, dark)
    if gpu is not None:
        choose_gpu(gpu, {}, None)
    selection = select(Request(names or ("all",), Source.of(solution=solution)))
    for sentence in refuse_without_figures(selection.items):
        console.warn(sentence)
    from tritonpuzzles.judge.environment import environment
    from tritonpuzzles.judge.roofline import points

    with status_line() as say:
        found = judged(points, selection.items, CheckOptions("cpu", seed, timeout), progress=say)
    progress = selection.state.read() if selection.state and not solution else {}
    chosen, why = choose_gpu(gpu, progress, judged(environment)["gpu"])
    measured = measured_on(chosen, found, progress)
    if why is not None:
        console.warn(why)
    if plot is not None:
        write(roofline_figure(found, chosen, measured, dark), plot)
    if as_json:
        console.show_json(roofline_data(found, chosen, measured))
    else:
        console.show(lambda width: roofline_lines(found, chosen, measured, View(width)))
    if plot is not None:
        console.tell_written(shown(plot))
    return ExitCode.PASS if found and all(point.intensity for point in found) else ExitCode.FAIL
