"""What commands about one file share: its options, and the puzzle and file that they mean."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.grading import Request, Selection, Source, select

Command = TypeVar("Command", bound=Callable[..., Any])


def one_file_options(function: Command) -> Command:
    """Add the argument N, and `--solution`, `--file`, `--seed`, `--timeout`, `--json`."""
    for decorate in (
        click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
        click.option("--timeout", type=click.FloatRange(0, min_open=True), callback=finite, help="Seconds per stage."),
        click.option(
            "--seed", type=click.IntRange(0, 2**31 - 1), help="Of shapes and inputs; else a new one each time."
        ),
        click.option("--file", type=click.Path(path_type=Path), metavar="PATH", help="Take this file or notebook."),
        click.option("--solution", is_flag=True, help="Take the shipped solution."),
        click.argument("name", metavar="[N]", required=False),
    ):
        function = decorate(function)
    return function


def finite(ctx: click.Context, param: click.Parameter, seconds: float | None) -> float | None:
    """Refuse what is no number of seconds: "nan" is within any range."""
    if seconds is not None and not math.isfinite(seconds):
        raise click.BadParameter(f"{seconds} is not a number of seconds.")
    return seconds


def select_one(command: str, name: str | None, source: Source) -> tuple[Selection, Puzzle, Path]:
    """Return the one puzzle and file that a command line means; without N, the next unsolved puzzle.

    Raises:
        FrontError: if it means several, or none.
    """
    selection = select(Request((name,) if name is not None else (), source))
    if len(selection.items) != 1:
        raise FrontError(f"{command} takes one puzzle, not {len(selection.items)}.", f"tritonpuzzles {command} 3")
    return selection, *selection.items[0]
