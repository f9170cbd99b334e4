"""The submissions in one file: a Python file is one, a notebook has one for each puzzle of its solve cells."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front.classroom.intake.archives import MAX_NOTEBOOK_BYTES
from tritonpuzzles.front.classroom.intake.matching import Finder, Match, NotTaken
from tritonpuzzles.front.classroom.intake.naming import NOTEBOOK, PYTHON, ending, stem
from tritonpuzzles.front.errors import ExitCode, FrontError
from tritonpuzzles.front.notebook.builder import START
from tritonpuzzles.front.notebook.submitted import MAGIC, NoNotebookError, SolveCell, solve_cells_in
from tritonpuzzles.front.story import text_of
from tritonpuzzles.results.submission import MAX_SOURCE_BYTES
from tritonpuzzles.results.words import plural
from tritonpuzzles.sandbox import NotRegularError, TooLargeError, read_regular


@dataclass(frozen=True)
class Piece:
    """One submission in a file."""

    puzzle: Puzzle
    file: Path  # where its text lies
    inside: str  # what is appended to the file's name in reports: "/p03_online_softmax.py" for a notebook's cell
    how: str  # how its puzzle was found
    is_stub: bool  # whether it is unchanged since it was shipped


def pieces_of(path: Path, name: str, finder: Finder, into: Path) -> Iterator[Piece | NotTaken]:
    """Yield the submissions in a file, and why a cell of a notebook, or the whole file, is not taken.

    `path`, which contains no link, is where it lies; `name` is what the student called it. Cells of notebooks are
    written `into` a folder of this process.
    """
    try:
        if ending(name) == NOTEBOOK:
            yield from _cells(path, name, finder, into)
        else:
            text = text_of(_read(path, name, MAX_SOURCE_BYTES, finder))
            match = finder.find(name, text)
            yield Piece(match.puzzle, path, "", match.how, finder.is_stub(match.puzzle, text))
    except NotTaken as why:
        yield why


def _read(path: Path, name: str, most: int, finder: Finder) -> bytes:
    try:
        return read_regular(path, most, follow=False)
    except TooLargeError as error:
        why = f"has {error.size:,} bytes; a {ending(name)} file may have {most:,}"
    except NotRegularError:
        why = "is no regular file"
    except OSError as error:
        why = f"cannot be read: {error.strerror}"
    raise NotTaken(why, finder.meant(name))


def _cells(path: Path, name: str, finder: Finder, into: Path) -> Iterator[Piece | NotTaken]:
    """Yield the solve cells of a notebook; of several for one puzzle the last, which is what a run of it leaves."""
    data = _read(path, name, MAX_NOTEBOOK_BYTES, finder)
    try:
        cells = solve_cells_in(data)
    except NoNotebookError as error:
        raise NotTaken(str(error), finder.meant(name)) from error
    if not cells and stem(name) != START:
        raise NotTaken(f"has no cell that begins with {MAGIC} and the number of a puzzle", finder.meant(name))
    for number in sorted({cell.puzzle.number for cell in cells}):
        mine = [cell for cell in cells if cell.puzzle.number == number]
        try:
            yield _piece(mine, finder, into)
        except NotTaken as why:
            yield why


def _piece(cells: list[SolveCell], finder: Finder, into: Path) -> Piece:
    """Return the last of some cells for one puzzle as a file, in a folder of its own.

    Raises:
        NotTaken: if the class does not have this puzzle.
        FrontError: if this machine cannot write it.
    """
    cell = cells[-1]
    several = f", the last of {plural(len(cells), 'such cell')}" if len(cells) > 1 else ""
    match = finder.assigned(Match(cell.puzzle, f"by its cell {MAGIC} {cell.puzzle.number}{several}"), cell.code)
    try:
        file = Path(tempfile.mkdtemp(dir=into)) / f"{cell.puzzle.stem}{PYTHON}"
        file.write_text(cell.as_file, encoding="utf-8", errors="replace")
    except OSError as error:
        what = f"A notebook's cell cannot be written to {into}: {error.strerror}."
        raise FrontError(what, "make room there, or name another folder in TMPDIR", ExitCode.FAULT) from error
    return Piece(match.puzzle, file, f"/{file.name}", match.how, finder.is_stub(cell.puzzle, cell.code))
