"""What several commands share: the puzzle argument, an example under the help text, the workspace's state."""

from __future__ import annotations

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.console import warn
from tritonpuzzles.front.workspace.folder import Workspace, find_workspace, require_workspace
from tritonpuzzles.front.workspace.shipped import keep_stubs
from tritonpuzzles.front.workspace.state import Entries, State


def example(*lines: str) -> str:
    """Return examples as click prints them under the help text, unwrapped."""
    return "\b\nExample:\n" + "\n".join(f"  tritonpuzzles {line}" for line in lines)


def puzzle_named(name: str) -> Puzzle:
    """Return the puzzle of a number, slug or file name.

    Raises:
        UnknownPuzzleError: with the nearest name.
    """
    return load_curriculum().find(name)


def workspace_to_change() -> Workspace:
    """Return the workspace around the current folder, with its stubs safe.

    Raises:
        FrontError: if there is none, with how to make one.
    """
    workspace = require_workspace()
    keep_stubs(workspace, warn)
    return workspace


def state_of(workspace: Workspace) -> State:
    """Return a workspace's progress; what cannot be read or written is said on stderr."""
    return State(workspace.state_folder, warn)


def progress_here() -> Entries:
    """Return the progress of the workspace around the current folder; nothing outside of one."""
    workspace = find_workspace()
    return state_of(workspace).read() if workspace else {}
