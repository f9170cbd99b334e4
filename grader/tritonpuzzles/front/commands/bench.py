"""`tritonpuzzles bench`: speed over sizes on a GPU, beside PyTorch, the solutions and what the hardware allows."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from tritonpuzzles import __version__
from tritonpuzzles.curriculum.record import DTYPES
from tritonpuzzles.front import console
from tritonpuzzles.front.bench.contest import Contest, best_at
from tritonpuzzles.front.bench.ladder import ladder_lines
from tritonpuzzles.front.bench.table import bench_lines, sentences
from tritonpuzzles.front.console import status_line
from tritonpuzzles.front.errors import ExitCode, FrontError
from tritonpuzzles.front.grading import Source
from tritonpuzzles.front.judge_process import judged
from tritonpuzzles.front.options import PATH, SECONDS, SEED, dark_option, example, finite, json_option, one_puzzle
from tritonpuzzles.front.page.model import View
from tritonpuzzles.front.page.terminal import next_line
from tritonpuzzles.front.pictures import refuse_bad_plot, write
from tritonpuzzles.front.workspace.files import write_file
from tritonpuzzles.front.workspace.folder import shown
from tritonpuzzles.front.workspace.progress import BestSpeed
from tritonpuzzles.judge.bench import BenchOptions
from tritonpuzzles.results.bench import VERSION, Bench
from tritonpuzzles.results.check import plain

MOST_SIZES, LARGEST = 32, 1 << 24
FIELDS = (
    "puzzle", "slug", "contender", "file", "gpu", "dtype", "shape", "axis", "size", "unit", "rate", "predicted",
    "copy_gb_per_s", "limit_gb_per_s", "median_ms", "low_ms", "high_ms", "best_ms", "samples", "labels", "failure",
)  # fmt: skip


def sizes_of(ctx: click.Context, param: click.Parameter, text: str | None) -> tuple[int, ...] | None:
    """Read `1024,4096,16384`."""
    if text is None:
        return None
    words = [word.strip() for word in text.split(",")]
    if not all(word.isdecimal() and 0 < int(word) <= LARGEST for word in words) or len(words) > MOST_SIZES:
        raise click.BadParameter(f"{text!r} is not up to {MOST_SIZES} whole numbers from 1 to {LARGEST:,}.")
    return tuple(int(word) for word in words)


@click.command(epilog=example("bench 3", "bench 3 --solution --plot p03.png", "bench --ladder --plot ladder.svg"))
@click.argument("name", metavar="[N]", required=False, shell_complete=one_puzzle)
@click.option("--solution", is_flag=True, help="Time the shipped solutions only.")
@click.option("--file", type=PATH, metavar="PATH", help="Time this file in place of yours.")
@click.option("--solutions", type=PATH, metavar="DIR", help="Time the file of this folder.")
@click.option("--ladder", is_flag=True, help="All puzzles at their largest size, from naive to tuned.")
@click.option("--sizes", callback=sizes_of, metavar="N,N,...", help="Sizes to time: columns, or tokens.")
@click.option("--dtype", type=click.Choice(DTYPES), help="Dtype of the inputs; by default what `check` times.")
@click.option("--plot", type=PATH, metavar="FILE", help="Draw the plot: a .png or .svg file.")
@dark_option
@click.option("--csv", "table", type=PATH, metavar="FILE", help="Write every timing as CSV.")
@json_option
@click.option("--seed", type=SEED, help="Seed of the numbers; a new one each time by default.")
@click.option("--timeout", type=SECONDS, callback=finite, help="Seconds per size.")
def bench_command(
    name: str | None,
    solution: bool,
    file: Path | None,
    solutions: Path | None,
    ladder: bool,
    sizes: tuple[int, ...] | None,
    dtype: str | None,
    plot: Path | None,
    dark: bool,
    table: Path | None,
    as_json: bool,
    seed: int | None,
    timeout: float | None,
) -> int:
    """Time a kernel beside PyTorch, the solutions, a copy.

    Times it at several sizes, and shows the time that its bytes predict. Needs an NVIDIA GPU; `inspect` predicts the
    bandwidth without one. Every timed result is checked.

    Exit codes: 0 right at every size, 1 not, 2 usage, 3 no GPU, or a fault of the grader.
    """
    if ladder and (name is not None or file is not None or sizes is not None):
        raise FrontError("--ladder takes all puzzles, each at its largest size.", "tritonpuzzles bench --ladder")
    for path in (plot, table):  # before minutes are spent on what cannot be kept
        if path is not None and not path.absolute().parent.is_dir():
            raise FrontError(f"There is no folder {path.absolute().parent} to write {path.name} to.", "name another")
    refuse_bad_plot(plot, dark)
    source = Source.of(solution=solution, file=file, folder=solutions)
    contest = Contest.of(name, source, ladder)
    options = BenchOptions(sizes, ladder, dtype, seed, timeout)
    require_gpu(contest)
    with status_line(verbose=True) as say:
        benches = contest.run(options, say)
    before = contest.best_before()
    contest.remember(benches)
    if as_json:
        console.show_json(bench_data(benches))
    else:
        _print(contest, benches, before)
    if table is not None:
        write_file(table, bench_csv(benches))
    if plot is not None:
        from tritonpuzzles.front.bench.plot import bench_figure, ladder_figure

        write(ladder_figure(benches, dark) if ladder else bench_figure(benches[0], dark), plot)
    for path in (plot, table):
        if path is not None:
            console.tell_written(shown(path))
    return ExitCode.PASS if all(contest.right(bench) for bench in benches) else ExitCode.FAIL


def require_gpu(contest: Contest) -> None:
    """Refuse to go on without a GPU.

    Raises:
        FrontError: with what is needed, and what does without.
    """
    from tritonpuzzles.judge.environment import NoDeviceError, choose_devices

    try:
        judged(choose_devices, "cuda")
    except NoDeviceError as error:
        needs = "bench needs an NVIDIA GPU that PyTorch can use, and there is none"
        step = f"tritonpuzzles inspect {contest.puzzles[0].number}"
        raise FrontError(f"{needs}; inspect predicts the bandwidth without one.", step, ExitCode.FAULT) from error


def _print(contest: Contest, benches: Sequence[Bench], before: dict[int, tuple[BestSpeed, ...]]) -> None:
    if contest.ladder:
        return console.show(lambda width: ladder_lines(benches, View(width)))
    out = console.stdout()
    for bench in benches:
        best = best_at(bench, before.get(bench.puzzle, ()))
        for line in bench_lines(bench, best, View(out.width)):
            out.print(line)
        out.print()
        for sentence in (*sentences(bench, best), *bench.notes):
            out.print(Text(sentence))
        if not contest.right(bench):
            out.print(next_line(f"tritonpuzzles check {bench.puzzle}"))


def bench_data(benches: Sequence[Bench]) -> dict[str, Any]:
    """Return the object that `bench --json` prints.

    `{"version": 1, "tritonpuzzles", "results": [...]}`, where a bench has the fields of
    `tritonpuzzles.results.bench.Bench`: `points` one per size, and `contenders`, each with one of `speeds` per point.
    A speed without a rate has a `failure`, a finding as in the report of `check`.
    """
    return {"version": VERSION, "tritonpuzzles": __version__, "results": [plain(bench) for bench in benches]}


def bench_csv(benches: Sequence[Bench]) -> str:
    """Return one line per contender and size, under a heading; what is not known is empty."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, FIELDS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for bench in benches:
        for contender in bench.contenders:
            for point, speed in zip(bench.points, contender.speeds, strict=True):
                known = {
                    **vars(bench),
                    **vars(point),
                    **vars(speed),
                    **(plain(speed.timing) if speed.timing is not None else {}),
                    "contender": contender.name,
                    "file": contender.file,
                    "gpu": bench.environment.get("gpu"),
                    "limit_gb_per_s": point.limit_gb_per_s,
                    "shape": "x".join(map(str, point.shape)),
                    "labels": " ".join(speed.labels),
                    "failure": speed.failure.code if speed.failure is not None else None,
                }
                writer.writerow(known)  # of it, what is in `FIELDS`
    return stream.getvalue()
