"""Put shipped files into a workspace: those that are missing, and newer ones in place of those that nobody edited."""

from __future__ import annotations

import enum
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tritonpuzzles.front.course.pieces import Piece
from tritonpuzzles.front.workspace.files import write_atomically
from tritonpuzzles.front.workspace.folder import Workspace
from tritonpuzzles.front.workspace.history import swapped_path, writing
from tritonpuzzles.front.workspace.progress import hash_of
from tritonpuzzles.front.workspace.shipped import remember_shipped, shipped_hashes

_NUMBERED = re.compile(r"(?P<folder>.*/)p\d\d_(?P<slug>[^/]+)")


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
    return Brought(piece, Fate.SAME if _is(path, piece) else Fate.STAYS)


def _updated(workspace: Workspace, piece: Piece, known: str | None) -> Brought:
    """Bring one file up to date.

    Args:
        workspace: where.
        piece: the file.
        known: hash of the text that it got last.
    """
    path = workspace.root / piece.path
    if not os.path.lexists(path):
        if known is not None and piece.puzzle is None:
            return Brought(piece, Fate.SAME)
        write_atomically(path, piece.data)
        return Brought(piece, Fate.NEW)
    if _is(path, piece):
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
    there = {one.piece.path: hash_of(one.piece.data) for one in done if _is(workspace.root / one.piece.path, one.piece)}
    remember_shipped(workspace, there)
    return done


def _is(path: Path, piece: Piece) -> bool:
    return path.is_file() and path.read_bytes() == piece.data
