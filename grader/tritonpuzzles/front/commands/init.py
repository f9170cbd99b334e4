"""`tritonpuzzles init` and `completion`: what is set up once, a workspace from the installed package and the shell.

`init --update` brings to a workspace what a newer version has.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click
from click.shell_completion import get_completion_class
from rich.text import Text

from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front import console
from tritonpuzzles.front.cli import cli
from tritonpuzzles.front.course import README, TASKS, Brought, Fate, bring, pieces
from tritonpuzzles.front.errors import ExitCode, FrontError
from tritonpuzzles.front.options import example
from tritonpuzzles.front.page.terminal import item, next_line
from tritonpuzzles.front.workspace.folder import (
    Workspace,
    current_folder,
    find_workspace,
    open_at,
    remember_pack,
    require_workspace,
    shown,
)
from tritonpuzzles.front.workspace.shipped import is_clone
from tritonpuzzles.results.words import plural

NAME = "triton-puzzles"  # with a hyphen: a folder called tritonpuzzles could be imported by mistake
SAID = {
    README: "README.md says how to go on.",
    TASKS: ".vscode/tasks.json lets VS Code check the open file (Ctrl+Shift+B), or every file that is saved.",
}
PROGRAM, SHELLS = "tritonpuzzles", ("bash", "zsh", "fish")


@click.command(epilog=example("init", "init ~/course", "init --update"))
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@click.option("--update", "updating", is_flag=True, help="Add what this version has to a workspace that you have.")
@click.pass_context
def init_command(ctx: click.Context, folder: Path | None, updating: bool) -> None:
    """Make a folder with the puzzles to edit, and a README.

    puzzles/ has the files to edit, notebooks/ the same for Jupyter. DIR is created if it is not there; in an empty
    folder you can leave it out. Files that are there already stay as they are. --update also replaces the stubs that
    you have not edited by newer ones, and lists those that you have edited; without DIR it updates this workspace.
    """
    if updating:
        _update(folder, ctx.find_root().params.get("pack"))
    else:
        _make(folder or _here())


def _here() -> Path:
    """Return the current folder, which nobody has named, if it is empty but for hidden files such as `.venv`.

    Raises:
        FrontError: if it is not.
    """
    here = current_folder()
    if all(path.name.startswith(".") for path in here.iterdir()):
        return Path()
    step = f"tritonpuzzles init {NAME} makes that folder, tritonpuzzles init . puts here what is missing"
    raise FrontError(f"{here} is not empty, and the puzzles want a folder of their own.", step)


def _make(folder: Path) -> None:
    workspace = Workspace(current_folder() / folder.expanduser())
    pack = load_curriculum().pack
    wanted = pieces()
    try:
        workspace.root.mkdir(parents=True, exist_ok=True)
        brought = bring(workspace, wanted, newer=False)
        if not pack.is_shipped:
            remember_pack(workspace, pack)
    except (OSError, FrontError) as error:
        cause = error.__cause__ or error
        raise FrontError(f"{folder} cannot be written: {cause}.", "name another folder", ExitCode.FAULT) from error
    out = console.stdout()
    for noun in ("puzzle", "notebook"):
        kind = [one for one in brought if one.piece.path.startswith(f"{noun}s/")]
        made = sum(one.fate is Fate.NEW for one in kind)
        left = len(kind) - made
        kept = f"; {plural(left, 'file')} there already, left as they are" if left else ""
        if kind:
            out.print(Text(f"{plural(made, noun)} put into {folder / f'{noun}s'}{kept}."))
    for one in brought:
        if one.piece.path in SAID and one.fate is not Fate.SAME:
            there = f"{one.piece.path} is there already, and stays as it is."
            out.print(Text(there if one.fate is Fate.STAYS else SAID[one.piece.path]))
    is_here = os.path.samefile(workspace.root, current_folder())
    out.print(next_line("tritonpuzzles list" if is_here else f"cd {folder}, then tritonpuzzles list"))


def _update(folder: Path | None, pack: str | None) -> None:
    workspace = require_workspace() if folder is None else find_workspace(current_folder() / folder.expanduser())
    if workspace is None:
        raise FrontError(f"There is no puzzles/ folder in {folder} or above it.", f"tritonpuzzles init {folder}")
    if folder is not None:
        open_at(workspace.root, pack)
    if is_clone(workspace):
        raise FrontError("This folder is a clone of tritonpuzzles: what is new comes with git.", "git pull")
    brought = [one for one in bring(workspace, pieces(), newer=True) if one.fate is not Fate.SAME]
    out = console.stdout()
    for one in brought:
        style = "yellow" if one.fate is Fate.STAYS else "green"
        out.print(item(f"{one.fate.value:5}", style, Text(_told(workspace, one))))
    if not brought:
        out.print(Text("Nothing is new."))
    out.print(next_line("tritonpuzzles list"))


def _told(workspace: Workspace, one: Brought) -> str:
    """Return a file, and what is to be said of it."""
    path = shown(workspace.root / one.piece.path)
    match one.fate:
        case Fate.MOVED:
            return f"{path}, was {one.before}"
        case Fate.STAYS if one.piece.puzzle is not None:
            return f"{path}, edited; new stub: tritonpuzzles reset {one.piece.puzzle.number}"
        case Fate.STAYS:
            return f"{path}, edited; new one: rename it, tritonpuzzles init {shown(workspace.root)}"
    return path


@click.command(
    epilog="\b\nExample:\n  # a line for ~/.bashrc\n"
    '  eval "$(tritonpuzzles completion bash)"\n'
    "  # for ~/.zshrc, below compinit\n"
    '  eval "$(tritonpuzzles completion zsh)"\n'
    "  # for ~/.config/fish/config.fish\n"
    "  tritonpuzzles completion fish | source"
)
@click.argument("shell", type=click.Choice(SHELLS))
def completion_command(shell: str) -> None:
    """Print a script for your shell: Tab completes words.

    It completes commands, options and puzzles.
    """
    found = get_completion_class(shell)
    assert found is not None
    sys.stdout.write(found(cli, {}, PROGRAM, f"_{PROGRAM.upper()}_COMPLETE").source())
