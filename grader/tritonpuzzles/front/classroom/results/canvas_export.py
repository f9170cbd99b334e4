"""Canvas's own export of a gradebook: what its columns and rows are, kept to the letter but for the points.

Canvas reads it back by the ids in it. Its form is Canvas's: `Student, ID, SIS User ID, SIS Login ID, Section`, then
assignments, each with its number in brackets, then totals that nobody may change; the rows "Manual Posting" and
"    Points Possible" before the students, and the test student among them.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tritonpuzzles.front.classroom.results.grades import BEGINS, text_cell
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.sandbox import read_regular

MAX_BYTES = 32 << 20
MARK = b"\xef\xbb\xbf"
IDS = ("ID", "SIS User ID", "SIS Login ID", "Integration ID")  # the surest first
ABOUT = {"Student", "LastName", "FirstName", *IDS, "Root Account", "Section"}
TOTALS = re.compile("(Current|Final) (Score|Points|Grade)|Override (Score|Grade|Status)")  # as Canvas finds them
POINTS, READ_ONLY, TEST = "Points Possible", "read only", "Student, Test"
_POSTING = re.compile(r"\s*(Muted|Manual Posting.*)?\s*", re.IGNORECASE)
_NUMBER = re.compile(r"-|[+-]?[\d.,]+%?")
_QUOTED_BY_CANVAS = re.compile('="[^"]*"')  # a name that begins with =, which Excel shows as text
_FORM = "export it anew in Canvas: Grades, Export, Export Entire Gradebook"


@dataclass(frozen=True)
class Person:
    """A student as Canvas knows them.

    Attributes:
        line: in the rows of the export.
        name: "Lovelace, Ada".
        ids: the surest first; without those that are empty.
    """

    line: int
    name: str
    ids: tuple[str, ...]


@dataclass(frozen=True)
class Export:
    """An export, cell by cell; the first row is the header."""

    rows: tuple[tuple[str, ...], ...]
    delimiter: str = ","
    is_marked: bool = False
    newline: str = "\n"

    @cached_property
    def points(self) -> tuple[str, ...]:
        """The row "Points Possible"."""
        return next(row for row in self.rows[1:] if POINTS in row[0])

    @cached_property
    def assignments(self) -> dict[int, str]:
        """The columns that hold points to be given, with their heads."""
        return {
            place: head
            for place, head in enumerate(self.rows[0])
            if head.strip() not in ABOUT and not TOTALS.search(head) and READ_ONLY not in self.points[place]
        }

    @property
    def people(self) -> Iterator[Person]:
        """The students, without Canvas's own who tries the course."""
        head = self.rows[0]
        for line, row in enumerate(self.rows[1:], 1):
            about = dict(zip(head, row, strict=True))
            name = about.get("Student") or f"{about.get('LastName', '')}, {about.get('FirstName', '')}"
            is_none = POINTS in row[0] or all(_POSTING.fullmatch(cell) for cell in row)
            if not is_none and name.strip() != TEST:
                yield Person(line, name, tuple(about[id].strip() for id in IDS if about.get(id, "").strip()))

    def written(self, cells: dict[tuple[int, int], float]) -> bytes:
        """Return the export with other points in some cells, by row and column; an empty cell stays without marks."""
        decimal = "," if any(re.fullmatch(r"\d+,\d{1,2}", cell) for cell in self.points) else "."
        stream = io.StringIO(newline="")
        writer = csv.writer(stream, delimiter=self.delimiter, lineterminator=self.newline)
        for line, row in enumerate(self.rows):
            texts = (
                f"{cells[line, place]:.2f}".replace(".", decimal) if (line, place) in cells else _kept(cell)
                for place, cell in enumerate(row)
            )
            writer.writerow(texts)
        return (MARK if self.is_marked else b"") + stream.getvalue().encode()


def read_export(path: Path) -> Export:
    """Return Canvas's export of a gradebook.

    Raises:
        FrontError: if it cannot be read, or has another form.
    """
    try:
        data = read_regular(path, MAX_BYTES)
        text = data.decode("utf-8-sig")
        delimiter = max(",;", key=text.partition("\n")[0].count)
        rows = [tuple(row) for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if any(row)]
    except OSError as error:
        raise FrontError(f"Canvas's export {path} cannot be read: {error}.", "name the CSV file") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise FrontError(f"Canvas's export {path} is no CSV in UTF-8: {error}.", _FORM) from error
    _refuse_other_forms(path, rows)
    newline = "\r\n" if "\r\n" in text else "\n"
    return Export(tuple(rows), delimiter, data.startswith(MARK), newline)


def _refuse_other_forms(path: Path, rows: list[tuple[str, ...]]) -> None:
    """Refuse what Canvas itself would not read.

    Raises:
        FrontError: with the first thing that is missing.
    """
    head = rows[0] if rows else ()
    lacks = [name for name in ("ID", "Section") if name not in head]
    if not {"Student", "LastName"} & set(head[:1]) or lacks:
        why = f"its columns begin with {', '.join(map(repr, head[:5]))}" if head else "it is empty"
        raise FrontError(f"{path} is no export of a Canvas gradebook: {why}, not with Student, ID.", _FORM)
    odd = next((number for number, row in enumerate(rows, 1) if len(row) != len(head)), None)
    if odd is not None:
        cells = f"{len(rows[odd - 1])} cells, the header {len(head)}"
        raise FrontError(f"{path} is no export of a Canvas gradebook: row {odd} has {cells}.", _FORM)
    if not any(POINTS in row[0] for row in rows[1:]):
        raise FrontError(f"{path} is no export of a Canvas gradebook: it has no row {POINTS!r}.", _FORM)


def _kept(cell: str) -> str:
    """Return a cell as Canvas wrote it, unless a spreadsheet would run it."""
    is_safe = not cell.startswith(BEGINS) or _NUMBER.fullmatch(cell) or _QUOTED_BY_CANVAS.fullmatch(cell)
    return cell if is_safe else text_cell(cell)
