"""From the solve cell to the puzzle's file, and back. Nothing that stood in the file is lost, or replaced unasked.

A text is known if this notebook wrote or read it last; any other text was written elsewhere. A kernel keeps the known
texts in memory, and for a notebook with a name also in `.tritonpuzzles/cells.json`, so that a restarted kernel asks no
question again. Losing that file loses no work: an unknown text is treated as one that was written elsewhere.
"""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.notebook.builder import solve_cell
from tritonpuzzles.front.notebook.line import running_shell
from tritonpuzzles.front.story import Source, read_source
from tritonpuzzles.front.text import compared
from tritonpuzzles.front.workspace.files import locked, read_small, write_atomically
from tritonpuzzles.front.workspace.folder import Workspace, shown
from tritonpuzzles.front.workspace.history import own_file, put
from tritonpuzzles.front.workspace.progress import hash_of
from tritonpuzzles.front.workspace.shipped import stub_file

REPLACE = "--replace"
NAME, VERSION = "cells.json", 1
SESSION = "JPY_SESSION_NAME"  # in the environment of a kernel, where Jupyter's servers put the name of its notebook
VS_CODE = "__vsc_ipynb_file__"  # and VS Code so, as a variable of the notebook
ONE_NOTEBOOK = "COLAB_RELEASE_TAG"  # set on Colab, where each machine has one notebook

Names = dict[str, dict[str, str]]  # notebook -> name of a puzzle's file -> hash

_here: dict[Path, str] = {}  # hashes that this kernel knows, by file


class _ForeignError(Exception):
    """The file contains a text that this notebook does not know."""


@dataclass(frozen=True)
class Placed:
    """The result of placing a cell."""

    text: bytes  # of the file that holds it, written or not
    notes: tuple[str, ...] = ()  # sentences for the learner
    question: tuple[str, ...] = ()  # whether to replace the file, if the cell was not written, and its answers
    is_work: bool = True  # whether the cell is the learner's work; a stub is not, if the file has work


def place(workspace: Workspace, puzzle: Puzzle, code: str, replace: bool = False) -> Placed:
    """Write a cell's code into the puzzle's file, below the file's own story.

    A cell that is still the stub does not replace work. No cell replaces a text that was written elsewhere since this
    notebook wrote the file: a question is returned instead, unless `replace`. The code comes without the magic's line.

    Raises:
        FrontError: if the installation has no stub, or the workspace cannot be written to.
    """
    file, stub, mine = workspace.file(puzzle), read_source(stub_file(puzzle)), _read(workspace, puzzle)
    cell = Source(mine.story if mine and mine.story else stub.story, f"{code.rstrip()}\n")
    text = cell.text.encode()
    if mine is not None and cell.same_code(stub) and not mine.same_code(stub):
        unchanged = f"This cell still is the stub, so {shown(file)}, which is not, stays as it is."
        brings = f"%puzzle {puzzle.number} brings its code here, %check {puzzle.number} checks it."
        return Placed(text, (unchanged, brings), is_work=False)
    if mine is not None and cell.same_code(mine):
        remember(workspace, puzzle, file.read_bytes())
        return Placed(text)

    def guard() -> None:
        if not replace and _is_foreign(workspace, puzzle, stub):
            raise _ForeignError

    try:
        put_aside = put(workspace, puzzle, text, guard=guard)
    except _ForeignError:
        return Placed(text, question=_question(workspace, puzzle, cell))
    remember(workspace, puzzle, text)
    back = f"%tritonpuzzles restore {puzzle.number} brings it back"
    kept = tuple(f"What was there before is put aside in {shown(path)}; {back}." for path in put_aside)
    return Placed(text, (f"Written to {shown(file)}.", *kept))


def whole_file(puzzle: Puzzle, code: str) -> str:
    """Return a puzzle file with the shipped story and a cell's code."""
    return Source(read_source(stub_file(puzzle)).story, f"{code.rstrip()}\n").text


def cell_of(workspace: Workspace, puzzle: Puzzle) -> str:
    """Return a solve cell with the code of the puzzle's file, which this notebook knows from now on.

    Raises:
        FrontError: if there is no such file.
    """
    mine = _read(workspace, puzzle)
    if mine is None:
        raise FrontError(f"There is no {shown(workspace.file(puzzle))}.", f"tritonpuzzles reset {puzzle.number}")
    remember(workspace, puzzle, workspace.file(puzzle).read_bytes())
    return solve_cell(puzzle, mine.code)


def _is_foreign(workspace: Workspace, puzzle: Puzzle, stub: Source) -> bool:
    """Return whether the learner's file, which a swap may have set aside, contains a text unknown to this notebook."""
    file = own_file(workspace, puzzle)
    try:
        return hash_of(read_small(file)) != known_text(workspace, puzzle) and not read_source(file).same_code(stub)
    except FileNotFoundError:
        return False
    except OSError:
        return True


def _question(workspace: Workspace, puzzle: Puzzle, cell: Source) -> tuple[str, ...]:
    """Return the question whether a cell shall replace a file, and what to do for either answer."""
    file, number = shown(workspace.file(puzzle)), puzzle.number
    seen = "edited elsewhere since this notebook wrote it" if known_text(workspace, puzzle) else "written elsewhere"
    mine = _read(workspace, puzzle)
    differs = compared(cell.code.strip().encode(), mine.code.strip().encode() if mine else b"")
    return (
        f"Replace {file}? It was {seen}, and stays as it is. The cell has {differs}. The cell alone is checked here.",
        f"Yes: make %%puzzle {number} {REPLACE} the first line of the cell and run it; the file's text is put aside.",
        f"No: %puzzle {number} in a new cell brings the file's code there; %check {number} checks the file.",
    )


def _read(workspace: Workspace, puzzle: Puzzle) -> Source | None:
    try:
        return read_source(workspace.file(puzzle))
    except OSError:
        return None


def notebook_name() -> str | None:
    """Return the name of the notebook that this kernel runs; `None` if it is unknown."""
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
    return _known_texts(workspace).get(name, {}).get(file.name) if name is not None else None


def remember(workspace: Workspace, puzzle: Puzzle, text: bytes) -> None:
    """Record a text of the file that this notebook wrote or read. If that fails, the learner is asked again later."""
    file, digest = workspace.file(puzzle), hash_of(text)
    _here[file] = digest
    name = notebook_name() or ""  # notebooks without a name share one entry
    with contextlib.suppress(OSError), locked(workspace.state_folder):
        names = _known_texts(workspace)
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
    return digest == _here.get(file) or any(
        files.get(file.name) == digest for files in _known_texts(workspace).values()
    )


def _known_texts(workspace: Workspace) -> Names:
    with contextlib.suppress(OSError, ValueError, RecursionError):
        data = json.loads(read_small(workspace.state_folder / NAME))
        notebooks = data.get("notebooks") if isinstance(data, dict) else None
        if isinstance(notebooks, dict):
            return {
                name: {file: digest for file, digest in files.items() if isinstance(digest, str)}
                for name, files in notebooks.items()
                if isinstance(files, dict)
            }
    return {}
