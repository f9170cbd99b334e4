"""Which shipped texts a workspace got, `.tritonpuzzles/shipped.json`: a file that still is one has not been edited.

Losing it loses no work: a file of which nothing is known counts as edited. Callers hold the workspace's lock.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping

from tritonpuzzles.front.workspace.files import read_small, write_atomically
from tritonpuzzles.front.workspace.folder import Workspace

NAME, VERSION = "shipped.json", 1


def shipped_hashes(workspace: Workspace) -> dict[str, str]:
    """Return the hash of the text that each file got last, by path in the workspace."""
    with contextlib.suppress(OSError, ValueError, RecursionError):
        data = json.loads(read_small(workspace.state_folder / NAME))
        files = data.get("files") if isinstance(data, dict) else None
        if isinstance(files, dict):
            return {path: found for path, found in files.items() if isinstance(found, str)}
    return {}


def remember_shipped(workspace: Workspace, hashes: Mapping[str, str]) -> None:
    """Note what files have got: hashes of texts, by path in the workspace."""
    before = shipped_hashes(workspace)
    files = {**before, **hashes}
    if files != before:
        written = json.dumps({"version": VERSION, "files": dict(sorted(files.items()))}, indent=2)
        write_atomically(workspace.state_folder / NAME, written.encode() + b"\n")
