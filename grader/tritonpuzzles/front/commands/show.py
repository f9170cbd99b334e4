"""`tritonpuzzles show N`: the puzzle's story."""

from __future__ import annotations

import contextlib

import click
from rich.text import Text

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front import console
from tritonpuzzles.front.options import example, one_puzzle, puzzle_named
from tritonpuzzles.front.page.terminal import Lines, next_line, prose
from tritonpuzzles.front.story import readable, story
from tritonpuzzles.front.text import harmless
from tritonpuzzles.front.workspace.files import read_small
from tritonpuzzles.front.workspace.folder import find_workspace, shown
from tritonpuzzles.front.workspace.shipped import stub_file


@click.command(epilog=example("show 3"))
@click.argument("name", metavar="N", shell_complete=one_puzzle)
def command(name: str) -> None:
    """Show a puzzle's story: what is new, what to keep, the traffic to reach."""
    puzzle = puzzle_named(name)
    out = console.stdout()
    for line in story_lines(puzzle):
        out.print(line)
    workspace = find_workspace()
    out.print()
    out.print(Text("Words: tritonpuzzles words", style="dim"))
    if workspace is None:
        out.print(next_line("tritonpuzzles init"))
    else:
        out.print(next_line(f"edit {shown(workspace.file(puzzle))}, then tritonpuzzles check {puzzle.number}"))


def story_lines(puzzle: Puzzle) -> Lines:
    """Return a puzzle's story."""
    return [prose(readable(story_of(puzzle)))]


def story_of(puzzle: Puzzle) -> str:
    """Return the story of the learner's file in Markdown, or of the stub where that has lost it."""
    workspace = find_workspace()
    with contextlib.suppress(OSError):
        mine = read_small(workspace.file(puzzle)) if workspace else b""
        if found := story(harmless(mine.decode("utf-8-sig", "replace"))):
            return found
    return story(stub_file(puzzle).read_text(encoding="utf-8")) or f"# {puzzle.number}. {puzzle.title}\n\n{puzzle.idea}"
