"""What `init` puts into a folder: a stub and a notebook of every puzzle, a README, the tasks of VS Code.

What is missing is put in; `init --update` also brings newer texts in place of those that nobody edited.
"""

from __future__ import annotations

import enum
import json
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import Curriculum, load_curriculum
from tritonpuzzles.front.report.problems import BEGINS, ENDS, PROBLEM
from tritonpuzzles.front.workspace.files import write_atomically
from tritonpuzzles.front.workspace.folder import Workspace
from tritonpuzzles.front.workspace.history import swapped_path, writing
from tritonpuzzles.front.workspace.progress import hash_of
from tritonpuzzles.front.workspace.shipped import notebook_files, remember_shipped, shipped_hashes, stub_file

README, TASKS = "README.md", ".vscode/tasks.json"
README_TEXT = Path(__file__).with_name("course.md")
README_NOTEBOOKS = """
**Jupyter.** `pip install 'tritonpuzzles[notebook]'`, then `jupyter lab notebooks/00_start.ipynb`. Files and progress
are the same.
"""
OWNER = "tritonpuzzles"
_NUMBERED = re.compile(r"(?P<folder>.*/)p\d\d_(?P<slug>[^/]+)")


def readme(curriculum: Curriculum, has_notebooks: bool) -> bytes:
    """Return the text for a curriculum: the loop, and where help is."""
    first = curriculum.puzzles[0]
    notebooks = README_NOTEBOOKS if has_notebooks else ""
    return (
        README_TEXT.read_text(encoding="utf-8")
        .format(title=curriculum.pack.title, number=first.number, stem=first.stem, notebooks=notebooks)
        .encode()
    )


def tasks() -> bytes:
    """Return the file: a task that checks the open file, and one that checks every file when it is saved."""
    return json.dumps({"version": "2.0.0", "tasks": [_check_task(), _watch_task()]}, indent=2).encode() + b"\n"


def _check_task() -> dict[str, Any]:
    """Return the task of Ctrl+Shift+B."""
    return {
        **_task("check this file", ["check", "${file}", "--editor"]),
        "group": {"kind": "build", "isDefault": True},
        "presentation": {"reveal": "always", "panel": "dedicated", "clear": True},
        "problemMatcher": _matcher(),
    }


def _watch_task() -> dict[str, Any]:
    background = {"activeOnStart": True, "beginsPattern": f"^{BEGINS} ", "endsPattern": f"^{ENDS}: "}
    return {
        **_task("check each file that is saved", ["watch", "--editor"]),
        "isBackground": True,
        "presentation": {"reveal": "silent", "panel": "dedicated"},
        "problemMatcher": {**_matcher(), "background": background},
    }


def _task(label: str, arguments: list[str]) -> dict[str, Any]:
    return {
        "label": f"tritonpuzzles: {label}",
        "type": "process",
        "command": sys.executable,  # it has tritonpuzzles; an editor may know of another one
        "args": ["-m", "tritonpuzzles", *arguments],
        "options": {"cwd": "${workspaceFolder}"},
    }


def _matcher() -> dict[str, Any]:
    names = ("file", "line", "column", "severity", "message", "code")
    return {
        "owner": OWNER,
        "source": OWNER,
        "fileLocation": ["autoDetect", "${workspaceFolder}"],
        "pattern": {"regexp": PROBLEM, **{name: group for group, name in enumerate(names, 1)}},
    }


@dataclass(frozen=True)
class Piece:
    """One file.

    Attributes:
        path: in the workspace, `puzzles/p03_online_softmax.py`.
        data: what this version ships.
        puzzle: whose stub it is.
    """

    path: str
    data: bytes
    puzzle: Puzzle | None = None


def pieces() -> list[Piece]:
    """Return everything that a workspace of the open pack gets.

    Raises:
        FrontError: if the installation has no stub of a puzzle.
    """
    curriculum, notebooks = load_curriculum(), notebook_files()
    return [
        *(Piece(f"puzzles/{puzzle.stem}.py", stub_file(puzzle).read_bytes(), puzzle) for puzzle in curriculum.puzzles),
        *(Piece(f"notebooks/{path.name}", path.read_bytes()) for path in notebooks),
        Piece(README, readme(curriculum, bool(notebooks))),
        Piece(TASKS, tasks()),
    ]


class Fate(enum.Enum):
    """What became of one file."""

    NEW = "new"
    NEWER = "newer"  # it was a shipped text of an older version
    MOVED = "moved"  # its puzzle has another number
    STAYS = "stays"  # edited, and this version ships another text
    SAME = "same"  # nothing to do


@dataclass(frozen=True)
class Brought:
    """A file, and what became of it; `before` is where it was."""

    piece: Piece
    fate: Fate
    before: str | None = None


def put_missing(workspace: Workspace, wanted: Sequence[Piece]) -> list[Brought]:
    """Put in what is not there; leave everything else alone.

    Raises:
        FrontError: if the workspace cannot be written to.
    """
    with writing(workspace):
        return _noted(workspace, [_put_missing(workspace, piece) for piece in wanted])


def update(workspace: Workspace, wanted: Sequence[Piece]) -> list[Brought]:
    """Put in what is new, and newer texts in place of older shipped ones. What was edited stays.

    A puzzle that has another number keeps its file, under the new name. A file that is no stub and was deleted is not
    brought again.

    Raises:
        FrontError: if the workspace cannot be written to.
    """
    with writing(workspace):
        moved = [found for piece in wanted if (found := _moved(workspace, piece)) is not None]
        hashes = shipped_hashes(workspace)
        return [*moved, *_noted(workspace, [_updated(workspace, piece, hashes.get(piece.path)) for piece in wanted])]


def _put_missing(workspace: Workspace, piece: Piece) -> Brought:
    path = workspace.root / piece.path
    if not os.path.lexists(path):
        write_atomically(path, piece.data)
        return Brought(piece, Fate.NEW)
    return Brought(piece, Fate.SAME if _holds(path, piece) else Fate.STAYS)


def _updated(workspace: Workspace, piece: Piece, known: str | None) -> Brought:
    """Bring one file up to date."""
    path = workspace.root / piece.path
    if not os.path.lexists(path):
        if known is not None and piece.puzzle is None:
            return Brought(piece, Fate.SAME)
        write_atomically(path, piece.data)
        return Brought(piece, Fate.NEW)
    if _holds(path, piece):
        return Brought(piece, Fate.SAME)
    if path.is_file() and hash_of(path.read_bytes()) == known:
        write_atomically(path, piece.data)
        return Brought(piece, Fate.NEWER)
    return Brought(piece, Fate.SAME if known == hash_of(piece.data) else Fate.STAYS)


def _moved(workspace: Workspace, piece: Piece) -> Brought | None:
    """Rename the file of a puzzle that had another number, and what waits of it while the solution is in its place."""
    name = _NUMBERED.fullmatch(piece.path)
    path = workspace.root / piece.path
    if name is None or os.path.lexists(path):
        return None
    old = sorted((workspace.root / name["folder"]).glob(f"p[0-9][0-9]_{name['slug']}"))
    if not old:
        return None
    before = name["folder"] + old[0].name
    waiting = swapped_path(workspace, old[0].stem)
    if piece.puzzle is not None and waiting.is_file():
        waiting.replace(swapped_path(workspace, path.stem))
    old[0].rename(path)
    hashes = shipped_hashes(workspace)
    if before in hashes:
        remember_shipped(workspace, {piece.path: hashes[before]})
    return Brought(piece, Fate.MOVED, before)


def _noted(workspace: Workspace, done: list[Brought]) -> list[Brought]:
    """Remember what files have got, where they have it."""
    there = {
        one.piece.path: hash_of(one.piece.data) for one in done if _holds(workspace.root / one.piece.path, one.piece)
    }
    remember_shipped(workspace, there)
    return done


def _holds(path: Path, piece: Piece) -> bool:
    return path.is_file() and path.read_bytes() == piece.data
