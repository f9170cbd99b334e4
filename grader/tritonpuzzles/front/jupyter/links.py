"""Links from a cell's output to notebooks: relative to the notebook that runs, as notebooks resolve them."""

from __future__ import annotations

import os
from pathlib import Path

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front.notebook.shell import running_shell
from tritonpuzzles.front.notebook.written import ONE_NOTEBOOK, notebook_name
from tritonpuzzles.front.workspace.folder import Workspace, find_workspace


def notebook_link(puzzle: Puzzle) -> str | None:
    """Return the address of a puzzle's notebook; `None` where there is none that can be opened by a link."""
    workspace = find_workspace()
    return link_to(workspace, f"{puzzle.stem}.ipynb") if workspace is not None else None


def link_to(workspace: Workspace, name: str) -> str | None:
    """Return the address of a notebook of a workspace, by its file's name; `None` as above."""
    file, here = workspace.notebooks / name, _folder()
    if here is None or ONE_NOTEBOOK in os.environ or not file.is_file():
        return None
    return Path(os.path.relpath(file, here)).as_posix()


def _folder() -> Path | None:
    """Return the folder of the notebook that runs: a kernel begins there, wherever it goes."""
    notebook = Path(notebook_name() or "")
    if notebook.is_absolute() and notebook.parent.is_dir():
        return notebook.parent
    start = getattr(running_shell(), "starting_dir", None)
    return Path(start) if start is not None else None
