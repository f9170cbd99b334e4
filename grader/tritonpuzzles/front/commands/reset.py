"""`tritonpuzzles reset N`: the stub back, and what was there kept."""

from __future__ import annotations

from dataclasses import replace

import click
from rich.text import Text

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front import console
from tritonpuzzles.front.options import example, one_puzzle, puzzle_named, state_of, workspace_to_change
from tritonpuzzles.front.page.terminal import Lines, kept_lines, next_line
from tritonpuzzles.front.workspace.folder import shown
from tritonpuzzles.front.workspace.history import reset
from tritonpuzzles.front.workspace.state import Entries


@click.command(epilog=example("reset 3"))
@click.argument("name", metavar="N", shell_complete=one_puzzle)
def command(name: str) -> None:
    """Put the stub back in place of your file, which is put aside with a date in its name.

    The puzzle counts as open again, and what the last check saw is forgotten; hints seen, attempts and the best speed
    stay.
    """
    puzzle = puzzle_named(name)
    for line in put_stub_back(puzzle):
        console.stdout().print(line, soft_wrap=True)
    console.stdout().print(next_line(f"tritonpuzzles show {puzzle.number}"))


def put_stub_back(puzzle: Puzzle) -> Lines:
    """Put a puzzle's stub back, and return what was done."""
    workspace = workspace_to_change()
    kept = reset(workspace, puzzle)

    def reopen(entries: Entries) -> None:
        if puzzle.slug in entries:
            entry = entries[puzzle.slug]
            entries[puzzle.slug] = replace(entry, solved_at=None, solved_hash=None, verdict=None, codes=(), seen=None)

    state_of(workspace).update(reopen)
    undo = [Text(f"tritonpuzzles restore {puzzle.number} brings your file back.")] if kept else []
    return [Text(f"{shown(workspace.file(puzzle))} is the stub again."), *kept_lines(kept), *undo]
