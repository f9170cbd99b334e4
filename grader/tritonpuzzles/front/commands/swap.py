"""`tritonpuzzles swap N`: the solution in place of the learner's file, and later the learner's file back."""

from __future__ import annotations

import click
from rich.text import Text

from tritonpuzzles.front import console
from tritonpuzzles.front.options import example, one_puzzle, puzzle_named, workspace_to_change
from tritonpuzzles.front.page.terminal import kept_lines, next_line
from tritonpuzzles.front.workspace.folder import shown
from tritonpuzzles.front.workspace.history import is_swapped, swap, swapped_file


@click.command(epilog=example("swap 3"))
@click.argument("name", metavar="N", shell_complete=one_puzzle)
def command(name: str) -> None:
    """Put the solution in place of your file; called again, put your file back. Nothing is lost."""
    puzzle, workspace = puzzle_named(name), workspace_to_change()
    kept = swap(workspace, puzzle)
    out, file = console.stdout(), shown(workspace.file(puzzle))
    if is_swapped(workspace, puzzle):
        out.print(
            Text(f"{file} is the solution now. Your file is put aside in {shown(swapped_file(workspace, puzzle))}.")
        )
        out.print(next_line(f"tritonpuzzles check {puzzle.number}; tritonpuzzles swap {puzzle.number} brings it back"))
    else:
        out.print(Text(f"{file} is your file again."))
        for line in kept_lines(kept):
            out.print(line, soft_wrap=True)
        out.print(next_line(f"tritonpuzzles check {puzzle.number}"))
