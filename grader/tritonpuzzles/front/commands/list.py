"""`tritonpuzzles list`: the curriculum, with what is solved and what is next."""

from __future__ import annotations

import json
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front import console
from tritonpuzzles.front.commands.arguments import example, progress_here
from tritonpuzzles.front.grading import next_unsolved
from tritonpuzzles.front.report.stars import star_signs
from tritonpuzzles.front.report.style import Lines, next_line
from tritonpuzzles.front.text import one_line, significant
from tritonpuzzles.front.workspace.files import read_small
from tritonpuzzles.front.workspace.folder import find_workspace, shown
from tritonpuzzles.front.workspace.progress import Progress, day, hash_of

SIGNS = {"solved": ("✓", "green"), "tried": ("·", "yellow"), "open": (" ", "")}
NONE = "-"
WIDE = 60  # columns from which the ideas have room


@click.command("list", epilog=example("list", "list --json"))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(as_json: bool = False) -> None:
    """Show the puzzles: what is solved, and since when; stars of three, the best speed; what is next.

    A dash stands for a speed that was not measured: that takes a GPU. In the JSON the times are in UTC: `solved_at` of
    the first pass, `best.at` of the best speed.
    """
    entries = progress_here()
    curriculum = load_curriculum()
    puzzles, pack = curriculum.puzzles, curriculum.pack
    following = next_unsolved(curriculum, entries)
    if as_json:
        opened = {"title": pack.title, "folder": str(pack.folder), "shipped": pack.is_shipped}
        rows = [_row(puzzle, entries.get(puzzle.slug, Progress())) for puzzle in puzzles]
        data = {"version": 2, "pack": opened, "next": following and following.number, "puzzles": rows}
        click.echo(json.dumps(data, indent=2))
    else:
        out = console.stdout()
        for line in list_lines(out.width):
            out.print(line)


def _row(puzzle: Puzzle, entry: Progress) -> dict[str, Any]:
    known = entry.to_dict()
    return {
        "puzzle": puzzle.number,
        "slug": puzzle.slug,
        "title": puzzle.title,
        "idea": puzzle.idea,
        "state": entry.word,
        "edited_since_solved": edited_since_solved(puzzle, entry),
        "stars": entry.stars_now,
        **{key: known[key] for key in ("attempts", "solved_at", "best", "hints", "verdict", "codes")},
    }


def edited_since_solved(puzzle: Puzzle, entry: Progress) -> bool:
    """Return whether the learner's file is no longer the one that passed."""
    workspace = find_workspace()
    if workspace is None or entry.solved_hash is None:
        return False
    try:
        return hash_of(read_small(workspace.file(puzzle))) != entry.solved_hash
    except OSError:
        return True


def list_lines(width: int) -> Lines:
    """Return the pack's name, where it is not the shipped one, a table of the puzzles, and what is next."""
    curriculum, entries = load_curriculum(), progress_here()
    pack, following = curriculum.pack, next_unsolved(curriculum, entries)
    title = Text.assemble((pack.title, "bold"), (f"  {shown(pack.folder)}", "dim"))
    lines: Lines = [] if pack.is_shipped else [title, Text()]
    slugs = [puzzle.slug for puzzle in curriculum.puzzles]
    grid = Table.grid(padding=(0, 2))
    grid.add_column(justify="right")
    for _ in range(3):
        grid.add_column(overflow="fold")
    for puzzle in curriculum.puzzles:
        grid.add_row(*_cells(puzzle, entries.get(puzzle.slug, Progress()), width >= WIDE))
    lines += [grid, Text()]
    if any(entry.solved and not entry.best for entry in map(entries.get, slugs) if entry):
        lines += [Text(f"{NONE} no speed was measured: that takes a GPU", style="dim"), Text()]
    if following is None:
        return [*lines, Text("Every puzzle is solved.", style="green")]
    if find_workspace() is None and pack.is_shipped:
        step = "tritonpuzzles init NAME makes a folder with the puzzles; then tritonpuzzles check 0"
        return [*lines, next_line(step)]
    step = f"tritonpuzzles show {following.number}, then tritonpuzzles check {following.number}"
    return [*lines, next_line(step)]


def _cells(puzzle: Puzzle, entry: Progress, wide: bool) -> tuple[Text, Text, Text, Text]:
    sign, style = SIGNS[entry.word]
    title = Text.assemble((puzzle.title, "bold"))
    if wide:
        title.append(f"\n{puzzle.idea}", style="dim")
    words = [f"{sign} {entry.word}", *since(puzzle, entry)]
    return Text(str(puzzle.number)), title, Text("\n".join(words), style), Text("\n".join(earned(entry)))


def since(puzzle: Puzzle, entry: Progress) -> list[str]:
    """Return the day of the first pass, and whether the file has changed since the last."""
    since = [found] if (found := day(entry.solved_at)) else []
    return [*since, *(["edited since"] if edited_since_solved(puzzle, entry) else [])]


def earned(entry: Progress) -> list[str]:
    """Return the stars of a solved puzzle, and the best speed; a dash where none was measured."""
    speed = [f"{significant(entry.best.rate)} {one_line(entry.best.unit)}"] if entry.best else []
    return [star_signs(entry.stars_now), *(speed or [NONE])] if entry.solved else speed
