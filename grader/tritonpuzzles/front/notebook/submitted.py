"""A solve cell as the file to grade: in a file of its own, for as long as this process lives."""

from __future__ import annotations

import atexit
from pathlib import Path

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front.errors import ExitCode, FrontError
from tritonpuzzles.front.notebook.extract import ENDING, SolveCell, cell_for
from tritonpuzzles.front.notebook.written import is_from_cell
from tritonpuzzles.front.story import read_source
from tritonpuzzles.front.workspace.folder import Workspace
from tritonpuzzles.front.workspace.shipped import stub_file
from tritonpuzzles.results.submission import Submission


def submission(path: Path, puzzle: Puzzle) -> Submission:
    """Return the file to check for a path: itself, or the solve cell of a notebook, by whose name it is known.

    Line numbers are those of the cell: `homework.ipynb/p03_online_softmax.py:41` is its line 41.

    Raises:
        FrontError: if a notebook cannot be read or has no cell for the puzzle.
    """
    if path.suffix != ENDING:
        return Submission.of(path)
    file = _written(cell_for(path, puzzle), path.name)
    return Submission(file, path.absolute() / file.name)


def cell_submission(puzzle: Puzzle, code: str) -> Submission:
    """Return the code of a cell that runs, without its magic, as the file to check.

    Raises:
        FrontError: if it cannot be written.
    """
    file = _written(SolveCell(puzzle, f"{code.rstrip()}\n"), "cell")
    return Submission(file, Path(f"the cell of puzzle {puzzle.number}"), in_cell=True)


def file_submission(workspace: Workspace, puzzle: Puzzle) -> Submission:
    """Return the learner's file as the file to check, with the line numbers of the cell if it came from one.

    Raises:
        FrontError: if it cannot be written anew.
    """
    file = workspace.file(puzzle)
    if not is_from_cell(workspace, puzzle) and not _is_stub(file, puzzle):
        return Submission.of(file)
    cell = SolveCell(puzzle, f"{read_source(file).code.rstrip()}\n")
    return Submission(_written(cell, "cell"), file.absolute(), in_cell=True)


def _is_stub(file: Path, puzzle: Puzzle) -> bool:
    """Return whether a file is as it was shipped, and so is the cell."""
    try:
        return read_source(file) == read_source(stub_file(puzzle))
    except OSError:
        return False


def _written(cell: SolveCell, folder: str) -> Path:
    """Write a cell to a file of a new folder, in one of this name."""
    from tritonpuzzles.sandbox import Scratch

    try:
        outer = Scratch()
        atexit.register(outer.remove)
        file = outer.path / folder / f"{cell.puzzle.stem}.py"
        file.parent.mkdir()
        file.write_text(cell.as_file, encoding="utf-8", errors="replace")
    except OSError as error:
        raise FrontError(f"The cell cannot be written to a file: {error}.", code=ExitCode.FAULT) from error
    return file
