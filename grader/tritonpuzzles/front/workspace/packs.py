"""Which pack is open: the one that was asked for, the environment's, the workspace's own, or the one in this folder."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from tritonpuzzles.curriculum.pack import PACK_FILE, PACK_VARIABLE, Pack, find_pack, open_pack
from tritonpuzzles.curriculum.tables import RecordError, read_record
from tritonpuzzles.front.errors import ExitCode, FrontError
from tritonpuzzles.front.workspace.folder import Workspace, current_folder, find_workspace
from tritonpuzzles.results.words import sentence

SETTINGS = "tritonpuzzles.toml"  # in the workspace's folder


@dataclass(frozen=True)
class _Settings:
    """What `tritonpuzzles.toml` says."""

    pack: str


def open_for(asked: str | None) -> None:
    """Open the pack that the commands of this process work with.

    Args:
        asked: a folder or an installed pack's name; `None` where nobody asked.

    Raises:
        FrontError: if what was asked for is no pack.
    """
    if asked is not None:
        try:
            open_pack(find_pack(asked))
        except RecordError as error:
            raise FrontError(
                sentence(str(error)), "--pack DIR, with a curriculum.toml in it", ExitCode.USAGE
            ) from error
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
    text = (
        f"# Which puzzles this folder is about: a folder with a curriculum.toml.\npack = {_quoted(str(pack.folder))}\n"
    )
    (workspace.root / SETTINGS).write_text(text, encoding="utf-8")


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
