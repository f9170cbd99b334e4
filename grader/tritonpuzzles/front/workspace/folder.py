"""The learner's folder: `puzzles/` with the files to edit, `.tritonpuzzles/` with progress and backups; its pack.

The open pack is the first of: the requested one, the environment's, this folder's own, the workspace's setting.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from tritonpuzzles.curriculum.pack import PACK_FILE, PACK_VARIABLE, Pack, find_pack, open_pack
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.tables import RecordError, read_record
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.results.words import sentence

PUZZLE_FILES = "p[0-9][0-9]_*.py"
SETTINGS = "tritonpuzzles.toml"  # in the workspace's folder


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
        FrontError: if there is none; it says how to make one.
    """
    workspace = find_workspace()
    if workspace is None:
        text = f"There is no puzzles/ folder in {current_folder()} or above it."
        text += " Change to the folder of your course, or make one here."
        raise FrontError(text, "tritonpuzzles init")
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
        return path
    if not relative.startswith(".."):
        return relative
    workspace = find_workspace()
    here = workspace is not None and Path(os.path.abspath(path)).is_relative_to(workspace.root)
    return relative if here else path


def why(error: Exception) -> str:
    """Return an error's message, without the number of a system error: `.tritonpuzzles/lock: Permission denied`."""
    if not isinstance(error, OSError) or not error.strerror:
        return str(error)
    return f"{shown(error.filename)}: {error.strerror}" if isinstance(error.filename, str) else error.strerror


@dataclass(frozen=True)
class _Settings:
    """What `tritonpuzzles.toml` says."""

    pack: str


def open_for(asked: str | None) -> None:
    """Open the pack that the commands of this process work with: the one asked for by folder or name, or the usual.

    Raises:
        FrontError: if the requested one is no pack.
    """
    if asked is not None:
        try:
            open_pack(find_pack(asked))
        except RecordError as error:
            raise FrontError(sentence(str(error)), "--pack DIR, with a curriculum.toml in it") from error
    elif not os.environ.get(PACK_VARIABLE):
        open_pack(_usual(current_folder()))


def open_at(folder: Path, asked: str | None) -> None:
    """Open the pack of another folder than the current one, unless a person has asked for one."""
    if asked is None:
        open_pack(_usual(folder))


def _usual(here: Path) -> Path | None:
    """Return the pack of a folder or its workspace; `None` for the shipped one."""
    if (here / PACK_FILE).is_file():
        return here
    workspace = find_workspace(here)
    if workspace is None or not (workspace.root / SETTINGS).is_file():
        return None
    return find_pack(read_record(_Settings, workspace.root / SETTINGS).pack, workspace.root)


def remember_pack(workspace: Workspace, pack: Pack) -> None:
    """Write the workspace's own setting, so that its commands open the same pack again."""
    quoted = json.dumps(str(pack.folder), ensure_ascii=False)
    text = f"# Which puzzles this folder is about: a folder with a curriculum.toml.\npack = {quoted}\n"
    (workspace.root / SETTINGS).write_text(text, encoding="utf-8")
