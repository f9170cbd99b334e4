"""`tritonpuzzles class`: grade the files of a whole class, on one machine or on several."""

from __future__ import annotations

import os
from pathlib import Path

import click
from rich.text import Text

from tritonpuzzles.front import console
from tritonpuzzles.front.classroom.grading.grade import (
    Graded,
    as_data,
    grade_class,
    merge_results,
    outcomes_of,
    summary_lines,
)
from tritonpuzzles.front.classroom.grading.planned import WHOLE, How, Shard
from tritonpuzzles.front.classroom.grading.records import out_folder, read_run
from tritonpuzzles.front.classroom.model import ClassSettings, Intake
from tritonpuzzles.front.classroom.platforms.forms import FORMS, SAY_UNGRADED, row_of, why_ungraded
from tritonpuzzles.front.errors import ExitCode, FrontError, refuse_elsewhere
from tritonpuzzles.front.options import PATH, example, json_option
from tritonpuzzles.front.page.terminal import next_line
from tritonpuzzles.front.workspace.files import locked, write_atomically
from tritonpuzzles.front.workspace.folder import shown
from tritonpuzzles.front.workspace.shipped import refuse_unknown_hosts
from tritonpuzzles.results.words import plural

THERE: click.Path = click.Path(exists=True, path_type=Path)


def _shard(ctx: click.Context, param: click.Parameter, text: str | None) -> Shard:
    """Read `2/8`."""
    try:
        return WHOLE if text is None else Shard.named(text)
    except ValueError as error:
        raise click.BadParameter(f"{error}.") from error


unconfined_option = click.option(
    "--unconfined", is_flag=True, help="Go on even if nothing keeps students' files apart."
)
config_option = click.option(
    "--config", type=THERE, metavar="FILE", help="Puzzles, points, due dates; class.toml in DIR by default."
)
cases_option = click.option("--cases", type=THERE, metavar="FILE", help="Hidden cases; those of class.toml by default.")
canvas_option = click.option("--canvas", type=THERE, metavar="CSV", help="Canvas's own export, to be filled in.")


@click.group(
    epilog=example("class grade homework1", "class grade homework1.zip --jobs 8", "class merge all part1 part2")
)
def class_command() -> None:
    """For instructors: grade a class of untrusted files."""


@class_command.command(
    "grade", epilog=example("class grade homework1", "class grade homework1 --shard 2/8 --out results")
)
@click.argument("folder", metavar="DIR", type=THERE)
@config_option
@cases_option
@click.option("--out", type=PATH, metavar="DIR", help="Folder for the results; DIR-graded by default.")
@click.option("--jobs", type=click.IntRange(1), help="Files at once; one for each core by default.")
@click.option("--device", type=click.Choice(["cpu", "cuda", "auto"]), default="auto", show_default=True)
@click.option("--engine", type=click.Choice(["local", "ray"]), default="local", help="Ray: on a cluster, by shards.")
@click.option("--shard", callback=_shard, metavar="I/N", help="Grade this part of N; then merge.")
@unconfined_option
@click.option("--resume", is_flag=True, help="Grade only what is new; without it a second run does so, too.")
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
    engine: str,
    shard: Shard,
    unconfined: bool,
    resume: bool,
    again: bool,
    canvas: Path | None,
    as_json: bool,
) -> int:
    """Grade every file of a class; write tables and pages. Each result is kept as it comes.

    DIR is a folder for each student, a zip of them, or what Canvas, Moodle, Gradescope, nbgrader or GitHub Classroom
    hand out. A second run grades only what is new.

    Exit codes: 0 every file was graded, whatever its verdict; 2 usage, 3 a fault of the grader or its environment.
    """
    refuse_elsewhere()
    if resume and again:
        raise FrontError("--resume and --again exclude each other.", "give one of them")
    if engine == "ray" and shard.of > 1:
        raise FrontError("--engine ray makes shards of its own.", "leave --shard out")
    place = out_folder(folder, out)
    settings, intake = _class_in(folder, config, cases)
    refuse_unknown_hosts([assigned.puzzle for assigned in settings.assigned])
    grader, cores = grade_class, os.cpu_count() or 1
    if engine == "ray":
        from tritonpuzzles.front.classroom.platforms.on_ray import grade_on_ray

        grader, cores = grade_on_ray, 0
    how = How(device, jobs or cores, shard, unconfined, again)
    try:
        graded = grader(settings, intake, place, (folder, config), how, console.warn)
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
@click.option("--config", type=THERE, metavar="FILE", help="The class.toml, if it does not lie where it was.")
@canvas_option
@json_option
def class_merge(
    out: Path, shards: tuple[Path, ...], folder: Path | None, config: Path | None, canvas: Path | None, as_json: bool
) -> int:
    """Bring results of several machines together in OUT. Writes its tables and pages, too.

    If a file has two results, the later one counts, but any grade counts before a fault of a machine.

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


@class_command.command("report", epilog=example("class report submission --for gradescope --config class.toml"))
@click.argument("folder", metavar="DIR", type=THERE)
@click.option("--for", "platform", type=click.Choice(sorted(FORMS)), required=True, help="Whose form the points have.")
@click.option("--config", type=THERE, metavar="FILE", required=True, help="The class.toml; one in DIR is a student's.")
@click.option("--to", type=PATH, metavar="FILE", help="Where the points are written; printed by default.")
@click.option("--device", type=click.Choice(["cpu", "cuda", "auto"]), default="auto", show_default=True)
@unconfined_option
def class_report(folder: Path, platform: str, config: Path, to: Path | None, device: str, unconfined: bool) -> int:
    """Grade one student's folder for a platform. The points are printed in the platform's form.

    Exit codes: 0 the points are written, whatever they are; 2 usage, 3 a fault of the grader, and nothing is written
    where the platform has no word for that.
    """
    refuse_elsewhere()
    row = row_of(folder, config, How(device, unconfined=unconfined), console.warn)
    if (why := why_ungraded(row)) is not None:
        if platform not in SAY_UNGRADED:
            raise FrontError(f"Nothing is written. {why}", "run it again, or tritonpuzzles doctor", ExitCode.FAULT)
        console.warn(why)
    text = FORMS[platform](row)
    if to is None:
        click.echo(text, nl=False)
    else:
        write_atomically(to, text.encode())
    return ExitCode.PASS


KITS = {
    "gradescope": ("OUT.zip", "an autograder for Gradescope. It holds setup.sh, run_autograder and the class."),
    "github": ("OUT", "a workflow for GitHub Classroom. GitHub Actions runs it, and it reports points."),
    "autolab": ("OUT", "the files of Autolab. They are autograde-Makefile and autograde.tar."),
    "prairielearn": ("OUT", "a question for PrairieLearn, with its grader. The image of the grader is there, too."),
    "nbgrader": ("OUT", "source notebooks for nbgrader. A locked cell's value is the score."),
    "otter": ("OUT", "tests/q3.py and others, for otter-grader."),
}


def _kit_command(platform: str, metavar: str, what: str) -> None:
    """Add the command that writes what a platform needs."""

    @class_command.command(
        platform, help=f"Write {what}", epilog=example(f"class {platform} {metavar} --config class.toml")
    )
    @click.argument("out", metavar=metavar, type=PATH)
    @click.option("--config", type=THERE, metavar="FILE", help="Puzzles and points; ./class.toml by default.")
    @click.option("--torch", default="torch", show_default=True, help="What pip installs first, with its options.")
    @click.option("--wheel", "wheels", type=THERE, multiple=True, help="A wheel to install from; repeatable.")
    @unconfined_option
    def write(out: Path, config: Path | None, torch: str, wheels: tuple[Path, ...], unconfined: bool) -> int:
        from tritonpuzzles.front.classroom.intake.config import class_settings
        from tritonpuzzles.front.classroom.platforms.kits import Asked, kit, write_kit

        files = kit(platform, class_settings(config, Path()), Asked(torch, wheels, unconfined))
        for path in write_kit(files, out):
            console.tell_written(shown(path))
        return ExitCode.PASS


for _platform, (_metavar, _what) in KITS.items():
    _kit_command(_platform, _metavar, _what)


@class_command.command("release", epilog=example("class release edition", "class release edition --config class.toml"))
@click.argument("out", metavar="OUT", type=PATH)
@click.option("--config", type=THERE, metavar="FILE", help="Whose puzzles; class.toml in this folder by default.")
@cases_option
def class_release(out: Path, config: Path | None, cases: Path | None) -> None:
    """Write a student edition: a pack and a wheel. Solutions, emulations and hidden cases are not in it.

    It has the puzzles of class.toml, under their own numbers. Each solution must pass in it before anything is written.
    """
    from tritonpuzzles.front.classroom.edition import release
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
