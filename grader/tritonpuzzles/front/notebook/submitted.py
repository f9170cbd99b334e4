"""A solve cell as the file to grade: of a cell that runs, of a file that came from one, or of a notebook handed in.

The cell is written to a temporary file, which lives as long as this process. Nothing in a notebook is run.
"""

from __future__ import annotations

import atexit
import contextlib
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import UnknownPuzzleError, load_curriculum
from tritonpuzzles.front.errors import ExitCode, FrontError
from tritonpuzzles.front.notebook.line import parsed, solve
from tritonpuzzles.front.notebook.place import is_from_cell
from tritonpuzzles.front.story import read_source
from tritonpuzzles.front.text import first_line
from tritonpuzzles.front.workspace.folder import Workspace
from tritonpuzzles.front.workspace.shipped import stub_file
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.sandbox import TooLargeError, read_regular

ENDING = ".ipynb"
MAGIC = "%%puzzle"
MAX_BYTES = 64 << 20  # pictures in the outputs


class NoNotebookError(Exception):
    """Data that is not a notebook; the message is a clause about it, and `next_step` may say what to do."""

    def __init__(self, clause: str, next_step: str | None = None) -> None:
        super().__init__(clause)
        self.next_step = next_step


@dataclass(frozen=True)
class SolveCell:
    """The code of a cell that begins with `%%puzzle N`, that line left out."""

    puzzle: Puzzle
    code: str

    @property
    def as_file(self) -> str:
        """The code as a file whose lines have the cell's numbers: the magic's is a comment."""
        return f"# {MAGIC} {self.puzzle.number}\n{self.code}"


def solve_cells(path: Path) -> list[SolveCell]:
    """Return the solve cells of a notebook, in order.

    Raises:
        FrontError: if the file is not a notebook.
    """
    try:
        return solve_cells_in(_read(path))
    except NoNotebookError as error:
        raise FrontError(f"{path} {error}", error.next_step) from error


def solve_cells_in(data: bytes) -> list[SolveCell]:
    """Return the solve cells of a notebook that has been read, in order.

    Raises:
        NoNotebookError: if it is not a notebook.
    """
    found = []
    for source in _code_cells(data):
        first, _, code = source.lstrip().partition("\n")
        puzzle = _puzzle(first)
        if puzzle is not None:
            found.append(SolveCell(puzzle, f"{code.rstrip()}\n"))
    return found


def cell_for(path: Path, puzzle: Puzzle) -> SolveCell:
    """Return the solve cell of a puzzle; of several the last, which is what a run of the notebook leaves in the file.

    Raises:
        FrontError: if the file is not a notebook, or has no such cell.
    """
    cells = solve_cells(path)
    mine = [cell for cell in cells if cell.puzzle.number == puzzle.number]
    if mine:
        return mine[-1]
    others = sorted({str(cell.puzzle.number) for cell in cells})
    sentence = f"{path} has no cell that begins with {MAGIC} {puzzle.number}"
    sentence += f", only cells for {', '.join(others)}." if others else ", and none for another puzzle."
    raise FrontError(sentence, f"write {MAGIC} {puzzle.number} above the code of the kernel and its host function")


def _puzzle(first_line: str) -> Puzzle | None:
    """Return the puzzle that a cell's first line names; `None` if it is not the magic, or names none."""
    magic, _, rest = first_line.partition(" ")
    if magic.strip() != MAGIC:
        return None
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # of a cell with --help click would print the help
            names = parsed(solve, MAGIC, rest)["names"]
        return load_curriculum().find(names[0]) if len(names) == 1 else None
    except (click.UsageError, click.exceptions.Exit, FrontError, UnknownPuzzleError):
        return None


def _code_cells(data: bytes) -> Iterator[str]:
    """Yield the text of each code cell; raises as `solve_cells_in` does."""
    try:
        notebook = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise NoNotebookError(f"is not a notebook: {first_line(error)}.") from error
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        raise NoNotebookError("is not a notebook: it has no cells.", "save it in the format of Jupyter 4 or newer")
    for cell in cells:
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            source = cell.get("source", "")
            lines = source if isinstance(source, list) else [source]  # the format allows both
            if all(isinstance(line, str) for line in lines):
                yield "".join(lines)


def _read(path: Path) -> bytes:
    try:
        return read_regular(path, MAX_BYTES)
    except TooLargeError as error:
        raise FrontError(f"{path} has more than {MAX_BYTES >> 20} MiB.", "clear the outputs of the notebook") from error
    except OSError as error:
        raise FrontError(f"{path} cannot be read: {error}.") from error


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
        FrontError: if the temporary file cannot be written.
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
    """Write a cell to a file in a folder of this name, inside a temporary one."""
    from tritonpuzzles.sandbox import Scratch  # works on Linux only, as grading does

    try:
        outer = Scratch()
        atexit.register(outer.remove)
        file = outer.path / folder / f"{cell.puzzle.stem}.py"
        file.parent.mkdir()
        file.write_text(cell.as_file, encoding="utf-8", errors="replace")
    except OSError as error:
        raise FrontError(f"The cell cannot be written to a file: {error}.", code=ExitCode.FAULT) from error
    return file
