"""What `init` puts into a folder: a stub and a notebook of every puzzle, a README, the tasks of VS Code.

Missing files are added; `init --update` also replaces older shipped files that nobody edited with newer ones.
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
from tritonpuzzles.front.workspace.history import swapped_file, writing
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
    """Return the file: a task that checks the open file (Ctrl+Shift+B), and one for every file when it is saved."""
    names = ("file", "line", "column", "severity", "message", "code")
    matcher = {
        "owner": OWNER,
        "source": OWNER,
        "fileLocation": ["autoDetect", "${workspaceFolder}"],
        "pattern": {"regexp": PROBLEM, **{name: group for group, name in enumerate(names, 1)}},
    }
    check = _task(
        "check this file",
        ["check", "${file}", "--editor"],
        group={"kind": "build", "isDefault": True},
        presentation={"reveal": "always", "panel": "dedicated", "clear": True},
        problemMatcher=matcher,
    )
    background = {"activeOnStart": True, "beginsPattern": f"^{BEGINS} ", "endsPattern": f"^{ENDS}: "}
    watch = _task(
        "check each file that is saved",
        ["watch", "--editor"],
        isBackground=True,
        presentation={"reveal": "silent", "panel": "dedicated"},
        problemMatcher={**matcher, "background": background},
    )
    return json.dumps({"version": "2.0.0", "tasks": [check, watch]}, indent=2).encode() + b"\n"


def _task(label: str, arguments: list[str], **more: Any) -> dict[str, Any]:
    return {
        "label": f"tritonpuzzles: {label}",
        "type": "process",
        "command": sys.executable,  # it has tritonpuzzles; an editor may know of another one
        "args": ["-m", "tritonpuzzles", *arguments],
        "options": {"cwd": "${workspaceFolder}"},
        **more,
    }


@dataclass(frozen=True)
class Piece:
    """One file."""

    path: str  # within the workspace, `puzzles/p03_online_softmax.py`
    data: bytes  # the text that this version ships
    puzzle: Puzzle | None = None  # the puzzle whose stub it is, if it is one


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
    """What happened to one file."""

    NEW = "new"
    NEWER = "newer"  # it was a shipped text of an older version
    MOVED = "moved"  # its puzzle has another number
    STAYS = "stays"  # edited, and this version ships another text
    SAME = "same"  # nothing to do


@dataclass(frozen=True)
class Brought:
    """A file, and what happened to it."""

    piece: Piece
    fate: Fate
    before: str | None = None  # its earlier path


def bring(workspace: Workspace, wanted: Sequence[Piece], *, newer: bool) -> list[Brought]:
    """Add missing files; if `newer`, also replace older shipped texts with newer ones. Edited files stay.

    If `newer`, a puzzle whose number changed also keeps its file, under the new name, and a file other than a stub that
    was deleted is not added again.

    Raises:
        FrontError: if the workspace cannot be written to.
    """
    with writing(workspace):
        moved = [found for piece in wanted if (found := _moved(workspace, piece)) is not None] if newer else []
        hashes = shipped_hashes(workspace) if newer else {}
        done = [_brought(workspace, piece, hashes.get(piece.path)) for piece in wanted]
        there = [piece for piece in wanted if _holds(workspace.root / piece.path, piece)]
        remember_shipped(workspace, {piece.path: hash_of(piece.data) for piece in there})
        return [*moved, *done]


def _brought(workspace: Workspace, piece: Piece, known: str | None) -> Brought:
    """Add or update one file; it is replaced only if its hash is the known one of a shipped text."""
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
    """Rename the file of a puzzle whose number changed, and the learner's file if a swapped-in solution replaces it."""
    name = _NUMBERED.fullmatch(piece.path)
    path = workspace.root / piece.path
    if name is None or os.path.lexists(path):
        return None
    old = sorted((workspace.root / name["folder"]).glob(f"p[0-9][0-9]_{name['slug']}"))
    if not old:
        return None
    before = name["folder"] + old[0].name
    if piece.puzzle is not None:
        waiting = swapped_file(workspace, piece.puzzle)
        if waiting.with_name(old[0].name).is_file():
            waiting.with_name(old[0].name).replace(waiting)
    old[0].rename(path)
    hashes = shipped_hashes(workspace)
    if before in hashes:
        remember_shipped(workspace, {piece.path: hashes[before]})
    return Brought(piece, Fate.MOVED, before)


def _holds(path: Path, piece: Piece) -> bool:
    return path.is_file() and path.read_bytes() == piece.data
