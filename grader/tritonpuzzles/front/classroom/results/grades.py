"""`grades.csv`: a line for each student; points of every puzzle first, what they rest on after them."""

from __future__ import annotations

from collections.abc import Iterator

from tritonpuzzles.front.classroom.results.book import Book, Row
from tritonpuzzles.front.classroom.results.spreadsheet import Cell, grid

NAME = "grades.csv"


def grades_csv(book: Book) -> bytes:
    """Return the grades of a class.

    What is not graded has no number, neither for the puzzle nor in all: a zero would pass for a grade.
    """
    return grid([_head(book), *(_line(row) for row in book.rows)])


def _head(book: Book) -> list[Cell]:
    stems = [assigned.puzzle.stem for assigned in book.settings.assigned]
    verdicts = [cell for stem in stems for cell in (f"{stem} verdict", f"{stem} days late")]
    return ["student", "name", *stems, "total", "not graded", *verdicts, "on the roster"]


def _line(row: Row) -> list[Cell]:
    points = [entry.score.points for entry in row.entries]
    return [row.student.id, row.student.name, *points, row.total, row.not_graded, *_verdicts(row), _listed(row)]


def _verdicts(row: Row) -> Iterator[Cell]:
    for entry in row.entries:
        yield entry.status
        yield entry.score.late.days if entry.outcome is not None else None


def _listed(row: Row) -> str:
    return "yes" if row.is_on_roster else "no"
