"""What commands put aside of a learner's files, in `.tritonpuzzles/backups/`: where, when, and by which command.

A copy's name says all of it: `p03_online_softmax.2026-11-05-142501.reset.py`. There is no index that could be lost.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from tritonpuzzles.front.workspace.files import unused, write_atomically
from tritonpuzzles.front.workspace.folder import Workspace

RESET, SWAP, PUZZLE, RESTORE, NOTEBOOK = "reset", "swap", "puzzle", "restore", "notebook"
ELSEWHERE = "output"  # `notebook build --output`: of no file of the workspace
COMMANDS = {RESET: "reset", SWAP: "swap", PUZZLE: "%%puzzle", RESTORE: "restore", NOTEBOOK: "notebook build"}

_NAME = re.compile(
    r"(?P<stem>.+)\.(?P<date>\d{4}-\d\d-\d\d-\d{6})(?:-(?P<count>\d+))?(?:\.(?P<by>[a-z]+))?(?P<ending>\.[a-z]+)"
)


@dataclass(frozen=True)
class Aside:
    """A copy of a file.

    Attributes:
        path: where it lies.
        name: of the file that it is a copy of, `p03_online_softmax.py`.
        at: when it was put aside, local time.
        count: tells copies of one second apart.
        by: a word of `COMMANDS`, or another version's; `None` where none is known.
    """

    path: Path
    name: str
    at: datetime
    count: int = 1
    by: str | None = None


def put_aside(workspace: Workspace, path: Path, by: str) -> Path:
    """Keep a copy of a file under a new, dated name, and return where it lies. Call it under the workspace's lock.

    Args:
        workspace: whose file it is.
        path: the file.
        by: the command that is about to replace it, a word of `COMMANDS`.
    """
    folder = _folder(workspace)
    folder.mkdir(parents=True, exist_ok=True)
    copy = unused(folder, path.name, by)
    write_atomically(copy, path.read_bytes())
    return copy


def all_aside(workspace: Workspace) -> list[Aside]:
    """Return every copy that was put aside, the oldest first."""
    paths = _folder(workspace).glob("*") if _folder(workspace).is_dir() else []
    found = [aside for path in paths if path.is_file() and (aside := _read(path)) is not None]
    return sorted(found, key=lambda aside: (aside.at, aside.count, aside.path.name))


def _read(path: Path) -> Aside | None:
    """Return what a copy's name says; `None` for a file that is none."""
    found = _NAME.fullmatch(path.name)
    try:
        at = datetime.strptime(found["date"], "%Y-%m-%d-%H%M%S") if found else None
    except ValueError:
        return None
    if found is None or at is None:
        return None
    return Aside(path, found["stem"] + found["ending"], at, int(found["count"] or 1), found["by"])


def _folder(workspace: Workspace) -> Path:
    return workspace.state_folder / "backups"
