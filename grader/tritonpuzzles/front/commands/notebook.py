"""`tritonpuzzles notebook`: notebooks from puzzle files, whether they are up to date, and a file from a notebook."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rich.text import Text

from tritonpuzzles.front import console
from tritonpuzzles.front.errors import ExitCode, FrontError
from tritonpuzzles.front.notebook.builder import build, outdated
from tritonpuzzles.front.notebook.place import whole_file
from tritonpuzzles.front.notebook.submitted import cell_for, solve_cells
from tritonpuzzles.front.options import PATH, example, one_puzzle, puzzle_named
from tritonpuzzles.front.page.terminal import kept_lines, next_line
from tritonpuzzles.front.workspace.files import locked
from tritonpuzzles.front.workspace.folder import Workspace, find_workspace, require_workspace, shown
from tritonpuzzles.front.workspace.history import ELSEWHERE, NOTEBOOK, replace
from tritonpuzzles.results.words import plural


@click.group(
    no_args_is_help=False, epilog=example("notebook build", "notebook build --solutions solutions --output /tmp/solved")
)
def notebook_command() -> None:
    """Make notebooks from puzzle files, and back. For authors and instructors."""


@notebook_command.command("build", epilog=example("notebook build"))
@click.option("--solutions", type=PATH, metavar="DIR", help="Take the files of this folder instead of puzzles/.")
@click.option("--output", type=PATH, metavar="DIR", help="Write the notebooks there instead of to notebooks/.")
def build_command(solutions: Path | None, output: Path | None) -> int:
    """Make a notebook of every puzzle file and one to start. What they replace is put aside."""
    if solutions is not None and output is None:
        raise FrontError("notebooks/ is for learners: solutions go elsewhere.", "give --output DIR")
    folder = output if output is not None else require_workspace().notebooks
    made = build(solutions if solutions is not None else require_workspace().puzzles)
    try:
        kept = _write(made, folder)
    except OSError as error:
        raise FrontError(f"{folder} cannot be written: {error}.", "name another folder", ExitCode.FAULT) from error
    out = console.stdout()
    out.print(Text(f"{plural(len(made), 'notebook')} written to {shown(folder)}."))
    for line in kept_lines(kept):
        out.print(line, soft_wrap=True)
    return ExitCode.PASS


@notebook_command.command("check", epilog=example("notebook check"))
def check_command() -> int:
    """List notebooks that are out of date. `notebook build` would make other ones of puzzles/.

    Exit codes: 0 none is out of date, 1 at least one is.
    """
    workspace, out = require_workspace(), console.stdout()
    sentences = outdated(build(workspace.puzzles), workspace.notebooks)
    for sentence in sentences:
        out.print(Text(f"{shown(workspace.notebooks)}/{sentence}"))
    out.print(next_line("tritonpuzzles notebook build") if sentences else Text("Every notebook is up to date."))
    return ExitCode.FAIL if sentences else ExitCode.PASS


@notebook_command.command("extract", epilog=example("notebook extract homework.ipynb 3 --output p03_online_softmax.py"))
@click.argument("notebook", type=PATH, metavar="NOTEBOOK")
@click.argument("name", metavar="[N]", required=False, shell_complete=one_puzzle)
@click.option("--output", type=PATH, metavar="FILE", help="Write it there; never over another file.")
def extract_command(notebook: Path, name: str | None, output: Path | None) -> int:
    """Print a notebook's solve cell as a puzzle file. N can be left out if it has a cell for one puzzle only."""
    cell = cell_for(notebook, puzzle_named(name if name is not None else _only_puzzle(notebook)))
    source = whole_file(cell.puzzle, cell.code)
    if output is None:
        sys.stdout.write(source)
        return ExitCode.PASS
    try:
        with output.open("xb") as stream:
            stream.write(source.encode("utf-8", "replace"))
    except FileExistsError as error:
        raise FrontError(f"{output} is there already.", "name another file") from error
    except OSError as error:
        raise FrontError(f"{output} cannot be written: {error}.", "name another file", ExitCode.FAULT) from error
    console.stdout().print(Text(f"Puzzle {cell.puzzle.number} written to {shown(output)}."))
    return ExitCode.PASS


def _only_puzzle(notebook: Path) -> str:
    found = sorted({cell.puzzle.number for cell in solve_cells(notebook)})
    if len(found) != 1:
        has = f"cells for the puzzles {', '.join(map(str, found))}" if found else "no cell that begins with %%puzzle"
        raise FrontError(f"{notebook} has {has}.", f"tritonpuzzles notebook extract {notebook} 3")
    return str(found[0])


def _write(made: dict[str, bytes], folder: Path) -> list[Path]:
    """Write the notebooks that have changed; return the copies of what was there."""
    workspace = find_workspace(folder.absolute()) or Workspace(folder)
    by = NOTEBOOK if folder.absolute() == workspace.notebooks.absolute() else ELSEWHERE
    kept: list[Path] = []
    with locked(workspace.state_folder):
        for name, data in made.items():
            path = folder / name
            if not path.exists() or path.read_bytes() != data:
                kept += replace(workspace, path, data, by)
    return kept
