"""`tritonpuzzles roofline`: what a GPU's memory and arithmetic let each puzzle reach, and what was measured on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front import console
from tritonpuzzles.front.console import status_line
from tritonpuzzles.front.errors import ExitCode, FrontError
from tritonpuzzles.front.grading import Request, Source, select
from tritonpuzzles.front.judge_process import judged
from tritonpuzzles.front.options import PATH, SEED, dark_option, example, json_option, names_argument, timeout_option
from tritonpuzzles.front.page.model import Block, Column, Paragraph, Table, Title, View
from tritonpuzzles.front.page.terminal import Lines, rendered
from tritonpuzzles.front.pictures import refuse_bad_plot, write
from tritonpuzzles.front.text import dimensions, one_line, significant
from tritonpuzzles.front.workspace.folder import shown
from tritonpuzzles.front.workspace.state import Entries
from tritonpuzzles.hardware.gpus import GPUS, Gpu, gpu_named
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.results.check import plain
from tritonpuzzles.results.inspect import Point

VERSION = 1
COLUMNS = (
    Column("puzzle"), Column("operations per byte", right=True), Column("allowed", right=True),
    Column("measured", right=True),
)  # fmt: skip
USUAL = "H200"  # where nothing else is known


@click.command(epilog=example("roofline --plot roofline.png", "roofline 1-3 --solution --gpu A100 --plot roofline.svg"))
@names_argument
@click.option("--plot", type=PATH, metavar="FILE", help="Draw it: a .png or .svg file.")
@dark_option
@click.option("--gpu", metavar="NAME", help="Such as H200 or A100; by default the one that your files were timed on.")
@click.option("--solution", is_flag=True, help="Take the shipped solutions.")
@click.option("--seed", type=SEED, help="Of the inputs; else a new one each time.")
@timeout_option
@json_option
def roofline_command(
    names: tuple[str, ...],
    plot: Path | None,
    dark: bool,
    gpu: str | None,
    solution: bool,
    seed: int | None,
    timeout: float | None,
    as_json: bool,
) -> int:
    """Show operations per byte, and the speed they allow.

    Shows how many operations each puzzle does per byte, and the speed that a GPU allows for that. Counts on the CPU; no
    GPU is needed. A rate that `check` has measured on such a GPU stands beside what it allows.

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
    from tritonpuzzles.judge.inspect import points

    with status_line() as say:
        found = judged(points, selection.items, CheckOptions("cpu", seed, timeout), progress=say)
    progress = selection.state.read() if selection.state and not solution else {}
    chosen, why = choose_gpu(gpu, progress, judged(environment)["gpu"])
    measured = measured_on(chosen, found, progress)
    if why is not None:
        console.warn(why)
    if plot is not None:
        from tritonpuzzles.front.pictures.roofline import roofline_figure

        write(roofline_figure(found, chosen, measured, dark), plot)
    if as_json:
        console.show_json(roofline_data(found, chosen, measured))
    else:
        console.show(lambda width: roofline_lines(found, chosen, measured, View(width)))
    if plot is not None:
        console.tell_written(shown(plot))
    return ExitCode.PASS if found and all(point.intensity for point in found) else ExitCode.FAIL


def roofline_data(points: Sequence[Point], gpu: Gpu, measured: Mapping[int, float]) -> dict[str, Any]:
    """Return the object that `roofline --json` prints.

    `{"version": 1, "gpu": {"name", "gb_per_s", "float32", "tensor"}, "points": [...]}`: a point has the puzzle, its
    file, shape, dtype, `operations`, `bytes`, their ratio `intensity`, and in TFLOP/s the `roof` and what was
    `measured`, null where it was not; `problem` says why there is no point.
    """
    return {
        "version": VERSION,
        "gpu": plain(gpu),
        "points": [
            {
                **{key: value for key, value in plain(point).items() if key not in ("work", "unit")},
                "intensity": point.intensity,
                "roof": roof(point, gpu),
                "measured": measured.get(point.puzzle),
            }
            for point in points
        ],
    }


def roofline_lines(points: Sequence[Point], gpu: Gpu, measured: Mapping[int, float], view: View) -> Lines:
    """Return a table with a row per puzzle, as a terminal shows it."""
    tensor = f"{gpu.tensor:,.0f} with tensor cores (16-bit)"
    about = f"{gpu.gb_per_s:,.0f} GB/s; TFLOP/s: {gpu.float32:,.0f} in float32, {tensor}"
    rows = []
    for point in points:
        if point.intensity:
            rates = [roof(point, gpu), measured.get(point.puzzle)]
            cells = ("-" if rate is None else significant(rate) for rate in rates)
            rows.append([_name(point), significant(point.intensity), *cells])
    blocks: list[Block] = [Title(Text(f"Roofline of the {gpu.name}", style="bold")), Paragraph(about, "dim")]
    blocks += [Table(COLUMNS, rows)] if rows else []
    without = (point for point in points if not point.intensity)
    blocks += (Paragraph(f"{_name(point)}: no point. {one_line(point.problem or '')}") for point in without)
    if rows:
        shapes = ", ".join(dict.fromkeys(f"{dimensions(p.shape)} {p.dtype}" for p in points if p.intensity))
        blocks.append(Paragraph(f"Counted at {shapes}; caches are not known to the ledger.", "dim"))
    return rendered(blocks, view)


def roof(point: Point, gpu: Gpu) -> float | None:
    """Return the TFLOP/s that a GPU allows for a point."""
    return gpu.attainable(point.intensity, point.on_tensor_cores) if point.intensity else None


def _name(point: Point) -> str:
    return f"p{point.puzzle:02d} {one_line(point.slug)}"


def refuse_without_figures(items: Sequence[tuple[Puzzle, object]]) -> list[str]:
    """Return a sentence about each puzzle whose record does not place it under a roofline.

    Raises:
        FrontError: if that is all of them.
    """
    said = []
    for puzzle, _ in items:
        operations = "operations" if puzzle.operations == "" else f"operations but {puzzle.operations}"
        parts = [(operations, puzzle.operations), ("[benchmark]", puzzle.benchmark)]
        if missing := " and no ".join(name for name, value in parts if not value):
            said.append(f"Puzzle {puzzle.number}, {puzzle.slug}, has no point: its record has no {missing}.")
    if len(said) == len(items):
        raise FrontError(" ".join(said), "add both to the record: tritonpuzzles docs packs says what they hold")
    return said


def choose_gpu(asked: str | None, progress: Entries, here: str | None) -> tuple[Gpu, str | None]:
    """Return the GPU to draw, and why it is that one if nobody asked for it.

    Raises:
        FrontError: if nothing is known of the GPU that was asked for.
    """
    if asked is not None:
        gpu = gpu_named(asked)
        if gpu is None:
            raise FrontError(f"No figures are known for the GPU {asked}.", f"--gpu with one of {', '.join(GPUS)}")
        return gpu, None
    candidates = [(entry.best.device, "your rates were measured on it") for entry in progress.values() if entry.best]
    for device, why in [*candidates, (here or "", "it is in this machine")]:
        gpu = gpu_named(device)
        if gpu is not None:
            return gpu, f"The {gpu.name}, as {why}; --gpu names another."
    unknown = f"No figures are known for {here}" if here else "No GPU here"
    return GPUS[USUAL], f"{unknown}: the roofline of the {USUAL}; --gpu names another."


def measured_on(gpu: Gpu, points: Sequence[Point], progress: Entries) -> dict[int, float]:
    """Return the learner's best rates on a GPU, as TFLOP/s by puzzle number."""
    found = {}
    for point in points:
        best = progress[point.slug].best if point.slug in progress else None
        if best is not None and best.unit == point.unit and gpu_named(best.device) == gpu:
            found[point.puzzle] = point.tflop_per_s(best.rate)
    return found
