"""From the solve cell to the puzzle's file, and back. Nothing that stood in the file is lost."""

from __future__ import annotations

from dataclasses import dataclass

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.notebook.cells import solve_cell
from tritonpuzzles.front.notebook.source import Source, read_source
from tritonpuzzles.front.workspace.folder import Workspace, shown
from tritonpuzzles.front.workspace.shipped import stub_file
from tritonpuzzles.front.workspace.swap import put


@dataclass(frozen=True)
class Placed:
    """What became of a cell.

    Attributes:
        notes: sentences for the learner.
        story_lines: lines of the file before the cell's code; `None` if the file does not hold the cell.
    """

    notes: tuple[str, ...]
    story_lines: int | None


def place(workspace: Workspace, puzzle: Puzzle, code: str) -> Placed:
    """Write a cell's code into the puzzle's file, below the file's own story.

    A cell that still is the stub does not replace work: whoever solved a puzzle in an editor and then runs the whole
    notebook gets their file checked.

    Raises:
        FrontError: if the installation has no stub, or the workspace cannot be written to.
    """
    file, stub, mine = workspace.file(puzzle), read_source(stub_file(puzzle)), _read(workspace, puzzle)
    cell = Source(mine.story if mine and mine.story else stub.story, f"{code.rstrip()}\n")
    if mine is not None and cell.same_code(stub) and not mine.same_code(stub):
        unchanged = f"This cell still is the stub, so {shown(file)}, which is not, stays as it is."
        return Placed((unchanged, f"To have its code here: %puzzle {puzzle.number}"), None)
    lines = cell.story.count("\n")
    if mine is not None and cell.same_code(mine):
        return Placed((), lines)
    done = put(workspace, puzzle, cell.text.encode())
    back = f"%tritonpuzzles restore {puzzle.number} brings it back"
    kept = tuple(f"What was there before is put aside in {shown(path)}; {back}." for path in done.kept)
    return Placed((f"Written to {shown(file)}.", *kept), lines)


def whole_file(puzzle: Puzzle, code: str) -> str:
    """Return a puzzle file with the shipped story and a cell's code."""
    return Source(read_source(stub_file(puzzle)).story, f"{code.rstrip()}\n").text


def cell_of(workspace: Workspace, puzzle: Puzzle) -> str:
    """Return a solve cell with the code of the puzzle's file.

    Raises:
        FrontError: if there is no such file.
    """
    mine = _read(workspace, puzzle)
    if mine is None:
        raise FrontError(f"There is no {shown(workspace.file(puzzle))}.", f"tritonpuzzles reset {puzzle.number}")
    return solve_cell(puzzle, mine.code)


def _read(workspace: Workspace, puzzle: Puzzle) -> Source | None:
    try:
        return read_source(workspace.file(puzzle))
    except OSError:
        return None
