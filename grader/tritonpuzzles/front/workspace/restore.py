"""Bring back what a command put aside; what stands in its place is put aside first, so that this can be undone too."""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.workspace.aside import NOTEBOOK, RESTORE, SWAP, all_aside, put_aside
from tritonpuzzles.front.workspace.files import write_atomically
from tritonpuzzles.front.workspace.folder import Workspace
from tritonpuzzles.front.workspace.swap import put, swap, swapped_file, writing

_STEM = re.compile(r"p\d\d_(?P<slug>[a-z][a-z0-9_]*)")


@dataclass(frozen=True)
class Copy:
    """What can be brought back.

    Attributes:
        name: what `restore` calls it: `3.2` is the second oldest of puzzle 3; the copy's own name where it is of none.
        path: where it lies.
        file: where it belongs.
        at, by: when it was put aside, and by which command.
        puzzle: whose file it is, where that is one of the curriculum.
        waits: whether a swap has put it aside, and the solution still is in its place.
    """

    name: str
    path: Path
    file: Path
    at: datetime
    by: str | None
    puzzle: Puzzle | None = None
    waits: bool = False

    @property
    def is_here(self) -> bool:
        """Whether the file has just this content."""
        return self.file.is_file() and self.file.read_bytes() == self.path.read_bytes()


def copies(workspace: Workspace) -> list[Copy]:
    """Return everything that can be brought back, by puzzle, the newest first; notebooks at the end."""
    puzzles = {puzzle.slug: puzzle for puzzle in load_curriculum().puzzles}
    counted: Counter[str] = Counter()
    found = []
    for aside in all_aside(workspace):
        stem, ending = os.path.splitext(aside.name)
        slug = _STEM.fullmatch(stem)
        puzzle = puzzles.get(slug["slug"]) if slug and ending == ".py" else None
        name, file = aside.path.name, workspace.puzzles / aside.name
        if puzzle is not None:
            counted[puzzle.slug] += 1
            name, file = f"{puzzle.number}.{counted[puzzle.slug]}", workspace.file(puzzle)
        elif ending == ".ipynb" and aside.by in (NOTEBOOK, RESTORE):
            file = workspace.notebooks / aside.name
        elif slug is None or ending != ".py":
            continue  # of another folder
        found.append(Copy(name, aside.path, file, aside.at, aside.by, puzzle))
    found += [copy for puzzle in puzzles.values() if (copy := _waiting(workspace, puzzle)) is not None]
    order = list(puzzles)
    found.reverse()
    return sorted(found, key=lambda copy: order.index(copy.puzzle.slug) if copy.puzzle else len(order))


def copy_named(workspace: Workspace, name: str) -> Copy:
    """Return the copy that a person names: `3.2`, a copy's own name, or `3` for the newest that is not the file's own.

    Raises:
        FrontError: if there is none.
        UnknownPuzzleError: if no puzzle is called so.
    """
    found = copies(workspace)
    for copy in found:
        if name in (copy.name, copy.path.name):
            return copy
    if re.fullmatch(r"\d+\.\w+", name) or os.path.splitext(name)[1]:
        raise FrontError(f"Nothing is put aside as {name}.", "tritonpuzzles restore lists what is")
    puzzle = load_curriculum().find(name)
    for copy in found:
        if copy.puzzle == puzzle and not copy.is_here:
            return copy
    raise FrontError(
        f"Nothing of puzzle {puzzle.number} is put aside that differs from its file.",
        "tritonpuzzles restore lists what is put aside",
    )


def restore(workspace: Workspace, copy: Copy) -> None:
    """Put a copy in its place; what is there is put aside first, unless a copy of it is.

    Raises:
        FrontError: if the copy cannot be read, or the workspace cannot be written to.
    """
    if copy.waits and copy.puzzle is not None:
        swap(workspace, copy.puzzle)
        return
    try:
        data = copy.path.read_bytes()
        others = [other for other in copies(workspace) if other.file == copy.file and not other.waits]
        known = tuple(other.path.read_bytes() for other in others)
    except OSError as error:
        raise FrontError(f"{copy.path} cannot be read: {error.strerror}.", "tritonpuzzles restore") from error
    if copy.puzzle is not None:
        put(workspace, copy.puzzle, data, RESTORE, known)
        return
    with writing(workspace):
        if copy.file.is_file() and copy.file.read_bytes() not in known:
            put_aside(workspace, copy.file, RESTORE)
        copy.file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(copy.file, data)


def _waiting(workspace: Workspace, puzzle: Puzzle) -> Copy | None:
    path = swapped_file(workspace, puzzle)
    if not path.is_file():
        return None
    at = datetime.fromtimestamp(path.stat().st_mtime)
    return Copy(f"{puzzle.number}.swap", path, workspace.file(puzzle), at, SWAP, puzzle, waits=True)
