"""The learner's folder: `puzzles/` with the files to edit, `.tritonpuzzles/` with progress and backups."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front.errors import FrontError

PUZZLE_FILES = "p[0-9][0-9]_*.py"


@dataclass(frozen=True)
class Workspace:
    """A folder with `puzzles/` in it."""

    root: Path

    def file(self, puzzle: Puzzle) -> Path:
        """Return the file of a puzzle that the learner edits; it may be missing."""
        return self.puzzles / f"{puzzle.stem}.py"

    @property
    def puzzles(self) -> Path:
        return self.root / "puzzles"

    @property
    def notebooks(self) -> Path:
        """Return the folder of the notebooks; it may be missing."""
        return self.root / "notebooks"

    @property
    def state_folder(self) -> Path:
        """Return where progress, backups and swapped files are kept."""
        return self.root / ".tritonpuzzles"


def find_workspace(start: Path | None = None) -> Workspace | None:
    """Return the workspace at or above a folder (the current one by default), or `None`."""
    here = start or current_folder()
    for folder in (here, *here.parents):
        if any((folder / "puzzles").glob(PUZZLE_FILES)):
            return Workspace(folder)
    return None


def require_workspace() -> Workspace:
    """Return the workspace at or above the current folder.

    Raises:
        FrontError: if there is none, with how to make one.
    """
    workspace = find_workspace()
    if workspace is None:
        raise FrontError(f"There is no puzzles/ folder in {current_folder()} or above it.", "tritonpuzzles init")
    return workspace


def current_folder() -> Path:
    """Return the current folder.

    Raises:
        FrontError: if it has been deleted.
    """
    try:
        return Path(os.getcwd())
    except FileNotFoundError as error:
        raise FrontError("The current folder no longer exists.", "cd to a folder that does") from error


def shown(path: Path | str) -> str:
    """Return a path as a learner reads it best: relative, if it lies below the current folder or in its workspace."""
    path = str(path)
    try:
        relative = os.path.relpath(path)
    except (OSError, ValueError):
        return str(path)
    return relative if not relative.startswith("..") or _in_workspace(path) else str(path)


def _in_workspace(path: Path | str) -> bool:
    workspace = find_workspace()
    return workspace is not None and Path(os.path.abspath(path)).is_relative_to(workspace.root)
