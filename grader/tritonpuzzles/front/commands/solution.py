"""`tritonpuzzles solution N`: the solution, once there is nothing left to spoil."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front import console
from tritonpuzzles.front.errors import ExitCode, FrontError
from tritonpuzzles.front.options import example, one_puzzle, progress_here, puzzle_named
from tritonpuzzles.front.page.terminal import highlighted
from tritonpuzzles.front.workspace.progress import Progress
from tritonpuzzles.front.workspace.shipped import solution_file, tuned_file


@click.command(epilog=example("solution 3", "solution 3 --tuned", "solution 3 --force > p03.py"))
@click.argument("name", metavar="N", shell_complete=one_puzzle)
@click.option("--force", is_flag=True, help="Show it before you have solved the puzzle.")
@click.option("--tuned", is_flag=True, help="Show the one made for speed; not every puzzle has one.")
def command(name: str, force: bool, tuned: bool) -> None:
    """Print the solution of a puzzle that you have solved."""
    source = solution_source(puzzle_named(name), force, tuned)
    out = console.stdout()
    if out.color_system is None:
        sys.stdout.write(source)
    else:
        out.print(highlighted(source, "python"))


def solution_source(puzzle: Puzzle, force: bool, tuned: bool = False) -> str:
    """Return the solution of a puzzle that is solved, or the tuned one.

    Raises:
        FrontError: if it is not, unless forced; if there is no tuned one.
    """
    if not force and not progress_here().get(puzzle.slug, Progress()).solved:
        sentence = f"Puzzle {puzzle.number} is not solved yet; --force shows the solution all the same."
        raise FrontError(sentence, f"tritonpuzzles hint {puzzle.number}", ExitCode.FAIL)
    if tuned:
        return _tuned(puzzle).read_text(encoding="utf-8")
    return solution_file(puzzle).read_text(encoding="utf-8")


def _tuned(puzzle: Puzzle) -> Path:
    path = tuned_file(puzzle)
    if path is None:
        there = [str(other.number) for other in load_curriculum().puzzles if tuned_file(other) is not None]
        which = f"the puzzles {', '.join(there)} have one" if there else "no puzzle here has one"
        sentence = f"Puzzle {puzzle.number} has no tuned solution; {which}."
        raise FrontError(sentence, f"tritonpuzzles solution {puzzle.number}")
    return path
