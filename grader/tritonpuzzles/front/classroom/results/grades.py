"""`grades.csv`: a line for each student; points of every puzzle first, what they rest on after them.

Names of students and files may hold anything: a cell that begins with one of `BEGINS` is a formula for Excel,
LibreOffice or Sheets, and an apostrophe makes it text (OWASP, CSV Injection,
owasp.org/www-community/attacks/CSV_Injection).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from tritonpuzzles.front.classroom.results.book import Book, Row
from tritonpuzzles.front.text import one_line

NAME = "grades.csv"
BEGINS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # the last four as full-width forms
ENCODING = "utf-8-sig"  # without its mark, Excel takes UTF-8 for the system's own code page
Cell = str | float | None


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


def grid(rows: Iterable[Sequence[Cell]]) -> bytes:
    r"""Return rows as CSV: text in quotation marks and harmless, numbers as such, nothing where nothing is known.

    Control characters are written out, as in `\x07`, and white space is one blank.
    """
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, quoting=csv.QUOTE_NONNUMERIC)
    writer.writerows([_cell(cell) for cell in row] for row in rows)
    return stream.getvalue().encode(ENCODING)


def text_cell(text: str) -> str:
    """Return text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(BEGINS) else text


def _cell(cell: Cell) -> str | float:
    match cell:
        case None:
            return ""
        case str():
            return text_cell(one_line(cell))
        case float() if cell.is_integer():
            return int(cell)
        case _:
            return cell
