"""`tritonpuzzles init`: a workspace from the installed package."""

from __future__ import annotations

from pathlib import Path

import click
from rich.text import Text

from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front import console
from tritonpuzzles.front.commands.arguments import example
from tritonpuzzles.front.errors import ExitCode, FrontError
from tritonpuzzles.front.report.style import next_line
from tritonpuzzles.front.shipped import stub_file
from tritonpuzzles.front.text import plural
from tritonpuzzles.front.workspace import Workspace, current_folder

DEFAULT = "triton-puzzles"  # with a hyphen: a folder called tritonpuzzles could be imported by mistake


@click.command(epilog=example("init", "init ~/course"))
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path), default=DEFAULT)
def command(folder: Path) -> None:
    """Make a workspace: DIR/puzzles with the files to edit. Files that are there already stay as they are."""
    workspace = Workspace(current_folder() / folder.expanduser())
    try:
        made, left = _copy_stubs(workspace)
    except OSError as error:
        raise FrontError(f"{folder} cannot be written: {error}.", "name another folder", ExitCode.FAULT) from error
    out = console.stdout()
    kept = f"; {plural(left, 'file')} there already, left as they are" if left else ""
    out.print(Text(f"{plural(made, 'puzzle')} put into {folder / 'puzzles'}{kept}."))
    out.print(next_line(f"cd {folder}, then tritonpuzzles list"))


def _copy_stubs(workspace: Workspace) -> tuple[int, int]:
    """Copy the stubs that are not there yet; return how many were copied, and how many were there."""
    made = left = 0
    for puzzle in load_curriculum().puzzles:
        path, stub = workspace.file(puzzle), stub_file(puzzle).read_bytes()
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with path.open("xb") as stream:
                stream.write(stub)
            made += 1
        except FileExistsError:
            left += 1
    return made, left
