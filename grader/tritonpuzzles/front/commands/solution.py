"""`tritonpuzzles solution N`: the solution, once there is nothing left to spoil."""

from __future__ import annotations

import sys

import click
from rich.syntax import Syntax

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front import console
from tritonpuzzles.front.commands.arguments import example, progress_here, puzzle_named
from tritonpuzzles.front.completion import one_puzzle
from tritonpuzzles.front.errors import ExitCode, FrontError
from tritonpuzzles.front.workspace.progress import Progress
from tritonpuzzles.front.workspace.shipped import solution_file


@click.command(epilog=example("solution 3", "solution 3 --force > p03.py"))
@click.argument("name", metavar="N", shell_complete=one_puzzle)
@click.option("--force", is_flag=True, help="Show it before you have solved the puzzle.")
def command(name: str, force: bool) -> None:
    """Print the solution of a puzzle that you have solved."""
    source = solution_source(puzzle_named(name), force)
    out = console.stdout()
    if out.color_system is None:
        sys.stdout.write(source)
    else:
        out.print(Syntax(source, "python", theme="ansi_dark", background_color="default"))


def solution_source(puzzle: Puzzle, force: bool) -> str:
    """Return the solution of a puzzle that is solved.

    Raises:
        FrontError: if it is not, unless forced.
    """
    if not force and not progress_here().get(puzzle.slug, Progress()).solved:
        sentence = f"Puzzle {puzzle.number} is not solved yet; --force shows the solution all the same."
        raise FrontError(sentence, f"tritonpuzzles hint {puzzle.number}", ExitCode.FAIL)
    return solution_file(puzzle).read_text(encoding="utf-8")
