"""Which text each notebook knows of a puzzle's file, `.tritonpuzzles/cells.json`: any other was written elsewhere.

A kernel remembers what it wrote. Of a notebook whose name is known the file does so too, so that a kernel that was
started anew asks nothing. Losing it loses no work: a text of which nothing is known is one that was written elsewhere.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front.notebook.shell import running_shell
from tritonpuzzles.front.workspace.files import locked, read_small, write_atomically
from tritonpuzzles.front.workspace.folder import Workspace
from tritonpuzzles.front.workspace.progress import hash_of

NAME, VERSION = "cells.json", 1
SESSION = "JPY_SESSION_NAME"  # Jupyter's servers tell a kernel its notebook so, in its environment
VS_CODE = "__vsc_ipynb_file__"  # and VS Code so, as a variable of the notebook
ONE_NOTEBOOK = "COLAB_RELEASE_TAG"  # on a machine of Colab there is one notebook

Names = dict[str, dict[str, str]]  # notebook -> name of a puzzle's file -> hash

_here: dict[Path, str] = {}  # what this kernel knows, by file


def notebook_name() -> str | None:
    """Return the name of the notebook that this kernel runs; `None` where nobody tells it."""
    shell = running_shell()
    told = shell.user_ns.get(VS_CODE) if shell is not None else None
    name = told if isinstance(told, str) else os.environ.get(SESSION)
    return name or ("colab" if ONE_NOTEBOOK in os.environ else None)


def known_text(workspace: Workspace, puzzle: Puzzle) -> str | None:
    """Return the hash of the file's text that this notebook wrote or saw last; `None` if it never did."""
    file = workspace.file(puzzle)
    if file in _here:
        return _here[file]
    name = notebook_name()
    return _read(workspace).get(name, {}).get(file.name) if name is not None else None


def remember(workspace: Workspace, puzzle: Puzzle, text: bytes) -> None:
    """Note the file's text as this notebook has written or seen it. What cannot be noted is asked for again later."""
    file, digest = workspace.file(puzzle), hash_of(text)
    _here[file] = digest
    name = notebook_name() or ""  # of notebooks without a name the last counts
    with contextlib.suppress(OSError), locked(workspace.state_folder):
        names = _read(workspace)
        if names.get(name, {}).get(file.name) != digest:
            names.setdefault(name, {})[file.name] = digest
            written = json.dumps({"version": VERSION, "notebooks": names}, indent=2)
            write_atomically(workspace.state_folder / NAME, written.encode() + b"\n")


def is_from_cell(workspace: Workspace, puzzle: Puzzle) -> bool:
    """Return whether the file holds what a notebook wrote: then its learner knows the numbers of the cell's lines."""
    file = workspace.file(puzzle)
    try:
        digest = hash_of(read_small(file))
    except OSError:
        return False
    return digest == _here.get(file) or any(files.get(file.name) == digest for files in _read(workspace).values())


def _read(workspace: Workspace) -> Names:
    with contextlib.suppress(OSError, ValueError, RecursionError):
        data = json.loads(read_small(workspace.state_folder / NAME))
        notebooks = data.get("notebooks") if isinstance(data, dict) else None
        if isinstance(notebooks, dict):
            return {name: _texts(files) for name, files in notebooks.items() if isinstance(files, dict)}
    return {}


def _texts(files: dict[str, object]) -> dict[str, str]:
    return {name: digest for name, digest in files.items() if isinstance(digest, str)}
