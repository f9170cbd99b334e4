"""Put a solution, the stub, a cell or an earlier file in place of a learner's. Nothing a learner wrote is ever lost.

The learner's file lies in `.tritonpuzzles/swapped/` while the solution is in its place: that file is the whole state
of a swap. Each step writes the new copy before the old one goes, so a kill in between leaves one copy too many, never
one too few.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front.errors import ExitCode, FrontError
from tritonpuzzles.front.workspace.aside import PUZZLE, RESET, SWAP, put_aside
from tritonpuzzles.front.workspace.files import locked, write_atomically
from tritonpuzzles.front.workspace.folder import Workspace
from tritonpuzzles.front.workspace.progress import hash_of
from tritonpuzzles.front.workspace.record import remember_shipped
from tritonpuzzles.front.workspace.shipped import solution_file, stub_file


@dataclass(frozen=True)
class Swapped:
    """What a swap or reset did: whether the solution is in place now, and where copies were kept."""

    solution_in_place: bool
    kept: tuple[Path, ...] = ()


def swapped_file(workspace: Workspace, puzzle: Puzzle) -> Path:
    """Return where the learner's file waits while the solution is in its place; it exists only then."""
    return swapped_path(workspace, puzzle.stem)


def swapped_path(workspace: Workspace, stem: str) -> Path:
    """Return the same for the name of a puzzle's file, without its ending."""
    return workspace.state_folder / "swapped" / f"{stem}.py"


def is_swapped(workspace: Workspace, puzzle: Puzzle) -> bool:
    """Return whether the solution is in place of the learner's file."""
    return swapped_file(workspace, puzzle).exists()


def swap(workspace: Workspace, puzzle: Puzzle) -> Swapped:
    """Put the solution in, or the learner's file back.

    Raises:
        FrontError: if there is no file to swap, or the workspace cannot be written to.
    """
    with writing(workspace):
        return _swap_out(workspace, puzzle) if is_swapped(workspace, puzzle) else _swap_in(workspace, puzzle)


def reset(workspace: Workspace, puzzle: Puzzle) -> Swapped:
    """Put the stub back; what was there, and what a swap had put aside, is kept with a date in its name.

    Raises:
        FrontError: if the stub is not to be found, or the workspace cannot be written to.
    """
    stub = stub_file(puzzle).read_bytes()
    done = put(workspace, puzzle, stub, RESET)
    with writing(workspace):
        remember_shipped(workspace, {f"puzzles/{puzzle.stem}.py": hash_of(stub)})
    return done


def put(
    workspace: Workspace,
    puzzle: Puzzle,
    data: bytes,
    by: str = PUZZLE,
    known: tuple[bytes, ...] = (),
    guard: Callable[[], None] = lambda: None,
) -> Swapped:
    """Put other content into the learner's file; what was there, and what a swap had put aside, is kept.

    Args:
        workspace: where the file is.
        puzzle: whose file it is.
        data: the new content.
        by: the command that does it, a word of `aside.COMMANDS`.
        known: contents that need not be kept again.
        guard: looks at the files, under the lock, and raises where nothing shall be done.

    Raises:
        FrontError: if the installation has no stub to compare with, or the workspace cannot be written to.
    """
    stub = stub_file(puzzle).read_bytes()
    with writing(workspace):
        guard()
        aside = swapped_file(workspace, puzzle)
        known = (data, stub, _solution(puzzle) if aside.exists() else stub, *known)
        kept = [put_aside(workspace, path, by) for path in (aside, workspace.file(puzzle)) if _holds_work(path, known)]
        write_atomically(workspace.file(puzzle), data)
        aside.unlink(missing_ok=True)
        return Swapped(False, tuple(kept))


def _swap_in(workspace: Workspace, puzzle: Puzzle) -> Swapped:
    path, aside = workspace.file(puzzle), swapped_file(workspace, puzzle)
    solution = solution_file(puzzle).read_bytes()
    if not path.is_file():
        raise FrontError(f"There is no {path}.", f"tritonpuzzles reset {puzzle.number}")
    aside.parent.mkdir(exist_ok=True)
    write_atomically(aside, path.read_bytes())
    write_atomically(path, solution)
    return Swapped(True)


def _swap_out(workspace: Workspace, puzzle: Puzzle) -> Swapped:
    path, aside = workspace.file(puzzle), swapped_file(workspace, puzzle)
    mine = aside.read_bytes()
    edited = _holds_work(path, (mine, _solution(puzzle)))
    kept = (put_aside(workspace, path, SWAP),) if edited else ()
    write_atomically(path, mine)
    aside.unlink()
    return Swapped(False, kept)


def _holds_work(path: Path, known: tuple[bytes, ...]) -> bool:
    """Return whether a file holds something that is not to be had elsewhere."""
    return path.is_file() and path.read_bytes() not in known


def _solution(puzzle: Puzzle) -> bytes:
    """Return the solution, or nothing where it has gone since: then the file in its place counts as work."""
    try:
        return solution_file(puzzle).read_bytes()
    except FrontError:
        return b""


@contextmanager
def writing(workspace: Workspace) -> Iterator[None]:
    """Hold the workspace's lock while its files are replaced.

    Raises:
        FrontError: if the workspace cannot be written to.
    """
    try:
        with locked(workspace.state_folder):
            yield
    except OSError as error:
        raise FrontError(f"Nothing was changed: {error}.", "make the folder writable", ExitCode.FAULT) from error
