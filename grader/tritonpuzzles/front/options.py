"""The options that commands share. A notebook's solve cell takes those of `check` in its first line."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from tritonpuzzles.front.completion import one_puzzle, several_puzzles

Command = TypeVar("Command", bound=Callable[..., Any])
Options = Sequence[Callable[[Any], Any]]

SEED = click.IntRange(0, 2**31 - 1)
SECONDS = click.FloatRange(min=0, min_open=True)
PATH: click.Path = click.Path(path_type=Path)


def finite(ctx: click.Context, param: click.Parameter, seconds: float | None) -> float | None:
    """Refuse what is no number of seconds: "nan" is within any range."""
    if seconds is not None and not math.isfinite(seconds):
        raise click.BadParameter(f"{seconds} is not a number of seconds.")
    return seconds


def dark_option(function: Command) -> Command:
    """Add what a command that draws takes beside --plot."""
    return click.option("--dark", is_flag=True, help="Draw it light on dark.")(function)


_CHECK: Options = (
    click.argument("names", metavar="[N ... | 0-8 | all | slug]", nargs=-1, shell_complete=several_puzzles),
    click.option("--solution", is_flag=True, help="Check the shipped solution."),
    click.option("--file", type=PATH, metavar="PATH", help="Check this file, or notebook."),
    click.option("--solutions", type=PATH, metavar="DIR", help="Check the files of this folder."),
    click.option("--device", type=click.Choice(["auto", "cpu", "cuda"]), default="auto", show_default=True),
    click.option("--seed", type=SEED, help="Of shapes and inputs; a new one each time by default."),
    click.option("--timeout", type=SECONDS, callback=finite, help="Seconds per stage."),
    click.option("--case", metavar="NAME", help="Run this case alone; a pass says nothing of the others."),
    click.option("--values", is_flag=True, help="Show a wrong row and what variables held, beside what is right."),
    click.option("--json", "as_json", is_flag=True, help="Print the report as one JSON object."),
    click.option("--github", is_flag=True, help="Print the findings as annotations of GitHub too."),
    click.option("--editor", is_flag=True, help="Print them as file:line:column: lines too, for an editor."),
    click.option("--html", type=PATH, metavar="FILE", help="Write a page too, to hand in or share."),
    click.option("--name", metavar="NAME", default="", help="Whose page it is, for --html."),
    click.option("--verbose", is_flag=True, help="Show every case, all that was printed, and the grader's own errors."),
)
_ONE_FILE: Options = (
    click.argument("name", metavar="[N]", required=False, shell_complete=one_puzzle),
    click.option("--solution", is_flag=True, help="Take the shipped solution."),
    click.option("--file", type=PATH, metavar="PATH", help="Take this file or notebook."),
    click.option("--seed", type=SEED, help="Of shapes and inputs; else a new one each time."),
    click.option("--timeout", type=SECONDS, callback=finite, help="Seconds per stage."),
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
)


def check_options(function: Command) -> Command:
    """Add what `check` takes, in the order of its help text."""
    return _with(_CHECK, function)


def one_file_options(function: Command) -> Command:
    """Add what a command about one file takes, in the order of its help text."""
    return _with(_ONE_FILE, function)


def _with(options: Options, function: Command) -> Command:
    for option in reversed(options):
        function = option(function)
    return function
