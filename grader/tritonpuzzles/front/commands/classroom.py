"""`tritonpuzzles class`: grade the files of a whole class, on one machine or on several."""

from __future__ import annotations

import os
from pathlib import Path

import click
from rich.text import Text

from tritonpuzzles.front import console
from tritonpuzzles.front.classroom.grading.grade import Graded, How, grade_class, merge_results, outcomes_of
from tritonpuzzles.front.classroom.grading.place import out_folder, read_run
from tritonpuzzles.front.classroom.grading.planned import WHOLE, Shard
from tritonpuzzles.front.classroom.grading.summary import as_data, summary_lines
from tritonpuzzles.front.classroom.settings import ClassSettings
from tritonpuzzles.front.classroom.submitted import Intake
from tritonpuzzles.front.errors import ExitCode, FrontError, refuse_elsewhere
from tritonpuzzles.front.options import PATH, example
from tritonpuzzles.front.page.terminal import next_line
from tritonpuzzles.front.workspace.files import locked
from tritonpuzzles.front.workspace.folder import shown
from tritonpuzzles.front.workspace.shipped import refuse_unknown_hosts
from tritonpuzzles.results.words import plural

THERE: click.Path = click.Path(exists=True, path_type=Path)


class _ShardType(click.ParamType):  # type: ignore[type-arg]
    name = "I/N"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Shard:
        """Read `2/8`."""
        try:
            return value if isinstance(value, Shard) else Shard.named(str(value))
        except ValueError as error:
            self.fail(f"{error}.", param, ctx)


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
config_option = click.option(
    "--config", type=THERE, metavar="FILE", help="Puzzles, points, due dates; class.toml in DIR by default."
)
cases_option = click.option("--cases", type=THERE, metavar="FILE", help="Hidden cases; those of class.toml by default.")
canvas_option = click.option("--canvas", type=THERE, metavar="CSV", help="Canvas's own export, to be filled in.")


@click.group(
    epilog=example("class grade homework1", "class grade homework1.zip --jobs 8", "class merge all part1 part2")
)
def class_command() -> None:
    """For instructors: grade a whole class of untrusted files."""


@class_command.command(
    "grade", epilog=example("class grade homework1", "class grade homework1 --shard 2/8 --out results")
)
@click.argument("folder", metavar="DIR", type=THERE)
@config_option
@cases_option
@click.option("--out", type=PATH, metavar="DIR", help="Folder for the results; DIR-graded by default.")
@click.option("--jobs", type=click.IntRange(1), help="Files at once; one for each core by default.")
@click.option("--device", type=click.Choice(["cpu", "cuda", "auto"]), default="auto", show_default=True)
@click.option("--shard", type=_ShardType(), default=WHOLE, metavar="I/N", help="Grade this part of N; then merge.")
@click.option("--unconfined", is_flag=True, help="Go on where nothing keeps one student's file from another's.")
@click.option("--resume", is_flag=True, help="Grade only what is new, which every second run does.")
@click.option("--again", is_flag=True, help="Grade everything anew.")
@canvas_option
@json_option
def class_grade(
    folder: Path,
    config: Path | None,
    cases: Path | None,
    out: Path | None,
    jobs: int | None,
    device: str,
    shard: Shard,
    unconfined: bool,
    resume: bool,
    again: bool,
    canvas: Path | None,
    as_json: bool,
) -> int:
    """Grade every file of a class, keep each result as it comes, and write tables and pages.

    DIR is a folder for each student, a zip of them, or what Canvas, Moodle, Gradescope, nbgrader or GitHub Classroom
    hand out. A second run grades only what is new.

    Exit codes: 0 every file was graded, whatever its verdict; 2 usage, 3 a fault of the grader or its environment.
    """
    refuse_elsewhere()
    if resume and again:
        raise FrontError("--resume and --again exclude each other.", "give one of them")
    place = out_folder(folder, out)
    settings, intake = _class_in(folder, config, cases)
    refuse_unknown_hosts([assigned.puzzle for assigned in settings.assigned])
    how = How(device, jobs or os.cpu_count() or 1, shard, unconfined, again)
    try:
        graded = grade_class(settings, intake, place, (folder, config), how, console.warn)
    except KeyboardInterrupt as error:
        told = f"Interrupted; what was graded until now is kept in {shown(place)}."
        raise FrontError(told, "the same command goes on from there", ExitCode.INTERRUPTED) from error
    written = [place / shard.file] if shard.of > 1 else _written(place, settings, intake, graded, canvas)
    _tell(graded, intake, place, written, as_json)
    if shard.of > 1:
        step = f"tritonpuzzles class merge {shown(place)} {shown(place)}, after the last of {shard.of}"
        click.echo(f"Next: {step}", err=True)
    return ExitCode.FAULT if graded.faults else ExitCode.PASS


@class_command.command("merge", epilog=example("class merge results results", "class merge all part1 part2 part3"))
@click.argument("out", metavar="OUT", type=PATH)
@click.argument("shards", metavar="SHARD...", type=THERE, nargs=-1, required=True)
@click.option("--class", "folder", type=THERE, metavar="DIR", help="The class, if it does not lie where it was graded.")
@click.option("--config", type=THERE, metavar="FILE", help="Its class.toml, likewise.")
@canvas_option
@json_option
def class_merge(
    out: Path, shards: tuple[Path, ...], folder: Path | None, config: Path | None, canvas: Path | None, as_json: bool
) -> int:
    """Bring the results of several machines together in OUT, and write its tables and pages.

    Of two results of one file the later counts; a fault of a machine counts for nothing beside a grade.

    Exit codes: 0 every file of the class was graded, 2 usage, 3 some were not.
    """
    run = read_run(shards[0])
    folder = folder or Path(run.folder)
    if not folder.exists():
        raise FrontError(f"The class is not in {folder} any more.", "say where it is with --class DIR")
    settings, intake = _class_in(folder, config or (Path(run.config) if run.config else None))
    lines = merge_results(out.absolute(), [shard.absolute() for shard in shards], console.warn)
    seed = settings.seed if settings.seed is not None else run.seed
    graded = Graded(tuple(outcomes_of(intake.files, lines)), 0, seed)
    _tell(graded, intake, out, _written(out, settings, intake, graded, canvas), as_json)
    left = len(intake.files) - len(graded.outcomes)
    if left:
        console.warn(f"{left} of {len(intake.files)} files have no result yet: a shard is missing, or still running.")
    return ExitCode.FAULT if left or graded.faults else ExitCode.PASS


@class_command.command("release", epilog=example("class release edition", "class release edition --config class.toml"))
@click.argument("out", metavar="OUT", type=PATH)
@click.option("--config", type=THERE, metavar="FILE", help="Whose puzzles; class.toml in this folder by default.")
@cases_option
def class_release(out: Path, config: Path | None, cases: Path | None) -> None:
    """Write a student edition into OUT: a pack and a wheel without solutions, emulations and hidden cases.

    It has the puzzles of class.toml, under their own numbers. Each solution must pass in it before anything is written.
    """
    from tritonpuzzles.front.classroom.edition.release import release
    from tritonpuzzles.front.classroom.intake.config import class_settings

    refuse_elsewhere()
    settings = class_settings(config, Path.cwd(), cases)
    hidden = sum(case.hidden for assigned in settings.assigned for case in assigned.puzzle.cases)
    with console.status_line() as say:
        say("grading each solution in the edition")
        pack, wheel = release(settings, out)
    out_stream = console.stdout()
    count = plural(len(settings.assigned), "puzzle")
    out_stream.print(Text(f"{count}, {plural(hidden, 'hidden case')} left out; each solution passes in it."))
    out_stream.print(Text(f"Pack: {shown(pack)}\nWheel: {shown(wheel)}"), soft_wrap=True)
    out_stream.print(next_line(f"students: pip install {wheel.name}, then tritonpuzzles init in an empty folder"))


def _class_in(folder: Path, config: Path | None, cases: Path | None = None) -> tuple[ClassSettings, Intake]:
    from tritonpuzzles.front.classroom.intake.config import class_settings
    from tritonpuzzles.front.classroom.intake.take_in import take_in

    settings = class_settings(config, folder, cases)
    return settings, take_in(folder, settings)


def _written(out: Path, settings: ClassSettings, intake: Intake, graded: Graded, canvas: Path | None) -> list[Path]:
    from tritonpuzzles.front.classroom.results.outputs import write_outputs

    with locked(out, ".pages.lock"):
        return write_outputs(out, settings, intake, graded.outcomes, canvas, console.warn)


def _tell(graded: Graded, intake: Intake, out: Path, written: list[Path], as_json: bool) -> None:
    if as_json:
        console.show_json(as_data(graded, intake, out, written))
    else:
        console.show(lambda width: summary_lines(graded, intake, out, written, width))
