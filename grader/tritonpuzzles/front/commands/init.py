"""`tritonpuzzles init`: a workspace from the installed package."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from rich.text import Text

from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front import console
from tritonpuzzles.front.commands.arguments import example
from tritonpuzzles.front.errors import ExitCode, FrontError
from tritonpuzzles.front.report.style import next_line
from tritonpuzzles.front.workspace.folder import Workspace, current_folder
from tritonpuzzles.front.workspace.packs import remember_pack
from tritonpuzzles.front.workspace.shipped import notebook_files, stub_file
from tritonpuzzles.results.words import plural

DEFAULT = "triton-puzzles"  # with a hyphen: a folder called tritonpuzzles could be imported by mistake


@click.command(epilog=example("init", "init ~/course"))
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path), default=DEFAULT)
def command(folder: Path) -> None:
    """Make a workspace: DIR/puzzles with the files to edit, DIR/notebooks with the same for Jupyter.

    Files that are there already stay as they are.
    """
    workspace = Workspace(current_folder() / folder.expanduser())
    stubs = [stub_file(puzzle) for puzzle in load_curriculum().puzzles]
    try:
        copied = [_copy(stubs, workspace.puzzles), _copy(notebook_files(), workspace.notebooks)]
    except OSError as error:
        raise FrontError(f"{folder} cannot be written: {error}.", "name another folder", ExitCode.FAULT) from error
    pack = load_curriculum().pack
    if not pack.is_shipped:
        remember_pack(workspace, pack)
    out = console.stdout()
    for (made, left), noun in zip(copied, ("puzzle", "notebook"), strict=True):
        if made or left:
            kept = f"; {plural(left, 'file')} there already, left as they are" if left else ""
            out.print(Text(f"{plural(made, noun)} put into {folder / f'{noun}s'}{kept}."))
    out.print(next_line(f"cd {folder}, then tritonpuzzles list"))


def _copy(files: Sequence[Path], folder: Path) -> tuple[int, int]:
    """Copy the files that are not there yet; return how many were copied, and how many were there."""
    made = left = 0
    for file in files:
        data = file.read_bytes()
        folder.mkdir(parents=True, exist_ok=True)
        try:
            with (folder / file.name).open("xb") as stream:
                stream.write(data)
            made += 1
        except FileExistsError:
            left += 1
    return made, left
