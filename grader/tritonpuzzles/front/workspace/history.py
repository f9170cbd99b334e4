"""The history of what commands replaced in a learner's folder: set aside, listed, restored. Nothing is ever lost.

The name of a copy in `.tritonpuzzles/backups/` has all its data, `p03_online_softmax.2026-11-05-142501.reset.py`: there
is no index that could be lost. While the solution is swapped in, the learner's file is kept in
`.tritonpuzzles/swapped/`, which is the whole state of a swap. Each step writes the new copy before it removes the old
one, so a kill in between leaves one copy too many, never one too few.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.errors import ExitCode, FrontError
from tritonpuzzles.front.workspace.files import locked, unused, write_atomically
from tritonpuzzles.front.workspace.folder import Workspace, why
from tritonpuzzles.front.workspace.progress import hash_of
from tritonpuzzles.front.workspace.shipped import remember_shipped, solution_file, stub_file

RESET, SWAP, PUZZLE, RESTORE, NOTEBOOK = "reset", "swap", "puzzle", "restore", "notebook"
ELSEWHERE = "output"  # `notebook build --output`: of no file of the workspace
COMMANDS = {RESET: "reset", SWAP: "swap", PUZZLE: "%%puzzle", RESTORE: "restore", NOTEBOOK: "notebook build"}

_NAME = re.compile(
    r"(?P<stem>.+)\.(?P<date>\d{4}-\d\d-\d\d-\d{6})(?:-(?P<count>\d+))?(?:\.(?P<by>[a-z]+))?(?P<ending>\.[a-z]+)"
)
_STEM = re.compile(r"p\d\d_(?P<slug>[a-z][a-z0-9_]*)")


@dataclass(frozen=True)
class Copy:
    """What can be brought back."""

    name: str  # for `restore`: `3.2` is the second oldest of puzzle 3; a file name if it belongs to no puzzle
    path: Path  # of the copy
    file: Path  # to restore it to
    at: datetime  # when it was set aside, local time
    by: str | None  # the command that did it, a word of `COMMANDS` or another version's; `None` if unknown
    puzzle: Puzzle | None = None  # whose file it is, if the curriculum has it
    waits: bool = False  # whether it was set aside by a swap that is still active

    @property
    def is_here(self) -> bool:
        """Whether the file has just this content."""
        return self.file.is_file() and self.file.read_bytes() == self.path.read_bytes()


def copies(workspace: Workspace) -> list[Copy]:
    """Return everything that can be brought back, by puzzle, the newest first; notebooks at the end."""
    puzzles = {puzzle.slug: puzzle for puzzle in load_curriculum().puzzles}
    counted: Counter[str] = Counter()
    found = []
    for at, path, name in _dated(workspace):
        stem, ending, by = name["stem"], name["ending"], name["by"]
        slug = _STEM.fullmatch(stem) if ending == ".py" else None
        puzzle = puzzles.get(slug["slug"]) if slug else None
        if puzzle is not None:
            counted[puzzle.slug] += 1
            numbered = f"{puzzle.number}.{counted[puzzle.slug]}"
            found.append(Copy(numbered, path, workspace.file(puzzle), at, by, puzzle))
        elif slug is not None:
            found.append(Copy(path.name, path, workspace.puzzles / f"{stem}{ending}", at, by))
        elif ending == ".ipynb" and by in (NOTEBOOK, RESTORE):  # the others belong to another folder
            found.append(Copy(path.name, path, workspace.notebooks / f"{stem}{ending}", at, by))
    for puzzle in puzzles.values():
        if (path := swapped_file(workspace, puzzle)).is_file():
            at = datetime.fromtimestamp(path.stat().st_mtime)
            found.append(Copy(f"{puzzle.number}.swap", path, workspace.file(puzzle), at, SWAP, puzzle, waits=True))
    found.reverse()
    order = list(puzzles)
    return sorted(found, key=lambda copy: order.index(copy.puzzle.slug) if copy.puzzle else len(order))


def copy_named(workspace: Workspace, name: str) -> Copy:
    """Return the copy of a name: `3.2`, a file name, or `3` for the newest that differs from the puzzle's file.

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


def swapped_file(workspace: Workspace, puzzle: Puzzle) -> Path:
    """Return where the learner's file is kept while the solution is swapped in; it exists only then."""
    return workspace.state_folder / "swapped" / f"{puzzle.stem}.py"


def is_swapped(workspace: Workspace, puzzle: Puzzle) -> bool:
    """Return whether the solution is swapped in for the learner's file."""
    return swapped_file(workspace, puzzle).exists()


def own_file(workspace: Workspace, puzzle: Puzzle) -> Path:
    """Return where the learner's own file of a puzzle is now: in its place, or set aside by a swap."""
    return swapped_file(workspace, puzzle) if is_swapped(workspace, puzzle) else workspace.file(puzzle)


def swap(workspace: Workspace, puzzle: Puzzle) -> tuple[Path, ...]:
    """Swap the solution in, or the learner's file back; return the paths of copies, if unknown content was replaced.

    Raises:
        FrontError: if there is no file to swap, or the workspace cannot be written to.
    """
    path, waiting = workspace.file(puzzle), swapped_file(workspace, puzzle)
    with writing(workspace):
        if waiting.exists():
            kept = replace(workspace, path, waiting.read_bytes(), SWAP, (_solution(puzzle),))
            waiting.unlink()
            return kept
        solution = solution_file(puzzle).read_bytes()
        if not path.is_file():
            raise FrontError(f"There is no {path}.", f"tritonpuzzles reset {puzzle.number}")
        write_atomically(waiting, path.read_bytes())
        write_atomically(path, solution)
        return ()


def reset(workspace: Workspace, puzzle: Puzzle) -> tuple[Path, ...]:
    """Put the stub back; keep copies of the file, and of one that a swap had set aside; return their paths.

    Raises:
        FrontError: if the stub is not to be found, or the workspace cannot be written to.
    """
    stub = stub_file(puzzle).read_bytes()
    kept = put(workspace, puzzle, stub, RESET)
    with writing(workspace):
        remember_shipped(workspace, {f"puzzles/{puzzle.stem}.py": hash_of(stub)})
    return kept


def put(
    workspace: Workspace,
    puzzle: Puzzle,
    data: bytes,
    by: str = PUZZLE,
    known: tuple[bytes, ...] = (),
    guard: Callable[[], None] = lambda: None,
) -> tuple[Path, ...]:
    """Write the learner's file; keep copies of the old content, and of a file set aside by a swap; return their paths.

    `by` is the command that does it, a word of `COMMANDS`. Contents that are `known` need not be kept again. `guard`
    looks at the files, under the lock, and raises where nothing shall be done.

    Raises:
        FrontError: if the installation has no stub to compare with, or the workspace cannot be written to.
    """
    stub, waiting = stub_file(puzzle).read_bytes(), swapped_file(workspace, puzzle)
    with writing(workspace):
        guard()
        known = (data, stub, _solution(puzzle) if waiting.exists() else stub, *known)
        kept = _put_aside(workspace, waiting, by, known) + replace(workspace, workspace.file(puzzle), data, by, known)
        waiting.unlink(missing_ok=True)
        return kept


def restore(workspace: Workspace, copy: Copy) -> None:
    """Restore a copy; the current file is set aside first, unless it has a copy already: so this can be undone too.

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
        replace(workspace, copy.file, data, RESTORE, known)


def replace(workspace: Workspace, path: Path, data: bytes, by: str, known: tuple[bytes, ...] = ()) -> tuple[Path, ...]:
    """Write any file; keep a copy of the old content, unless it is known; return its path. Call it under the lock."""
    kept = _put_aside(workspace, path, by, (data, *known))
    write_atomically(path, data)
    return kept


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
        raise FrontError(f"Nothing was changed: {why(error)}.", "make the folder writable", ExitCode.FAULT) from error


def _put_aside(workspace: Workspace, path: Path, by: str, known: tuple[bytes, ...]) -> tuple[Path, ...]:
    """Copy a file's content under a new, dated name, unless the content is known."""
    before = path.read_bytes() if path.is_file() else None
    if before is None or before in known:
        return ()
    copy = unused(_backups(workspace), path.name, by)
    write_atomically(copy, before)
    return (copy,)


def _dated(workspace: Workspace) -> list[tuple[datetime, Path, re.Match[str]]]:
    """Return each file whose name says that it is a copy, the oldest first, with the parts of its name."""
    found = []
    for path in _backups(workspace).glob("*") if _backups(workspace).is_dir() else ():
        name = _NAME.fullmatch(path.name)
        if name is None or not path.is_file():
            continue
        try:
            found.append((datetime.strptime(name["date"], "%Y-%m-%d-%H%M%S"), path, name))
        except ValueError:
            continue
    return sorted(found, key=lambda one: (one[0], int(one[2]["count"] or 1), one[1].name))


def _backups(workspace: Workspace) -> Path:
    return workspace.state_folder / "backups"


def _solution(puzzle: Puzzle) -> bytes:
    """Return the solution, or nothing if it was removed: then a swapped-in solution counts as the learner's work."""
    try:
        return solution_file(puzzle).read_bytes()
    except FrontError:
        return b""
