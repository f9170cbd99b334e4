"""`tritonpuzzles hint N`: the next of a puzzle's three hints."""

from __future__ import annotations

from dataclasses import replace

import click
from rich.console import Console
from rich.markdown import Markdown
from rich.text import Text

from tritonpuzzles.curriculum.record import HINTS, Puzzle
from tritonpuzzles.front import console
from tritonpuzzles.front.commands.arguments import example, puzzle_named, state_of
from tritonpuzzles.front.console import warn
from tritonpuzzles.front.progress import Progress
from tritonpuzzles.front.report.style import next_line
from tritonpuzzles.front.shipped import keep_stubs
from tritonpuzzles.front.state import Entries
from tritonpuzzles.front.story import readable
from tritonpuzzles.front.workspace import find_workspace


@click.command(epilog=example("hint 3", "hint 3 --all"))
@click.argument("name", metavar="N")
@click.option("--all", "everything", is_flag=True, help="Show all hints at once.")
def command(name: str, everything: bool) -> None:
    """Show the next hint of three; after the third, all of them again."""
    puzzle = puzzle_named(name)
    seen = _count_one_more(puzzle, everything)
    wanted = range(HINTS) if everything or seen >= HINTS else range(seen, seen + 1)
    out = console.stdout()
    for index in wanted:
        _print(out, puzzle, index)
    if wanted.stop < HINTS:
        out.print(next_line(f"tritonpuzzles check {puzzle.number}, or for more, {_more(puzzle, wanted.stop)}"))
    else:
        out.print(next_line(f"tritonpuzzles check {puzzle.number} (there are no more hints)"))


def _count_one_more(puzzle: Puzzle, everything: bool) -> int:
    """Count a hint as shown, and return how many had been before; outside a workspace none has."""
    workspace = find_workspace()
    if workspace is None:
        return 0
    keep_stubs(workspace, warn)
    before = 0

    def change(entries: Entries) -> None:
        nonlocal before
        entry = entries.get(puzzle.number, Progress())
        before = min(entry.hints, HINTS)
        entries[puzzle.number] = replace(entry, hints=HINTS if everything else min(before + 1, HINTS))

    state_of(workspace).update(change)
    return before


def _print(out: Console, puzzle: Puzzle, index: int) -> None:
    title = f"Hint {index + 1} of {HINTS}"
    out.print(Text.assemble((title, "bold"), f"  p{puzzle.number:02d} {puzzle.slug}"))
    out.print()
    out.print(Markdown(readable(puzzle.hints[index]), code_theme="ansi_dark", hyperlinks=False))
    out.print()


def _more(puzzle: Puzzle, shown: int) -> str:
    """Return how to see the next hint; where none is counted, the next is not to be had alone."""
    if find_workspace() is None:
        return f"tritonpuzzles hint {puzzle.number} --all"
    return f"tritonpuzzles hint {puzzle.number} ({shown + 1} of {HINTS})"
