"""`canvas.csv`: Canvas's own gradebook export, filled with a class's points, and sentences about what does not fit.

Everything else is kept unchanged: Canvas imports it again by its ids. The format is Canvas's: `Student, ID, SIS User
ID, SIS Login ID, Section`, then assignments, each with its number in brackets, then read-only totals; the rows "Manual
Posting" and "    Points Possible" come before the students, and the test student among them.

A puzzle's column is found by its name, a student's row by Canvas's ids, else by the name. Where two fit, neither is
taken: points in a wrong row are worse than none.
"""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front.classroom.intake.roster import Known, compact, spellings
from tritonpuzzles.front.classroom.model import ClassSettings
from tritonpuzzles.front.classroom.results.book import Book, Row
from tritonpuzzles.front.classroom.results.grades import BEGINS, text_cell
from tritonpuzzles.front.classroom.results.points import number
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.front.text import one_line, some
from tritonpuzzles.results.words import are, plural
from tritonpuzzles.sandbox import read_regular

NAME = "canvas.csv"
TOTAL = None  # in place of a puzzle's number: the column of all points
KEPT = ("EX", "N/A")  # excused, or not assigned to the student: not ours to change
MAX_BYTES = 32 << 20
MARK = b"\xef\xbb\xbf"
IDS = ("ID", "SIS User ID", "SIS Login ID", "Integration ID")  # most reliable first
ABOUT = {"Student", "LastName", "FirstName", *IDS, "Root Account", "Section"}
TOTALS = re.compile("(Current|Final) (Score|Points|Grade)|Override (Score|Grade|Status)")  # as Canvas finds them
POINTS, READ_ONLY, TEST = "Points Possible", "read only", "Student, Test"
_POSTING = re.compile(r"\s*(Muted|Manual Posting.*)?\s*", re.IGNORECASE)
_NUMBER = re.compile(r"-|[+-]?[\d.,]+%?")
_QUOTED_BY_CANVAS = re.compile('="[^"]*"')  # a name that begins with =, which Excel shows as text
_FORM = "export it anew in Canvas: Grades, Export, Export Entire Gradebook"


@dataclass(frozen=True)
class Person:
    """A student in a line of Canvas's export; none of the ids is empty, and the most reliable comes first."""

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
        """The students, without Canvas's test student."""
        head = self.rows[0]
        for line, row in enumerate(self.rows[1:], 1):
            about = dict(zip(head, row, strict=True))
            name = about.get("Student") or f"{about.get('LastName', '')}, {about.get('FirstName', '')}"
            is_none = POINTS in row[0] or all(_POSTING.fullmatch(cell) for cell in row)
            if not is_none and name.strip() != TEST:
                yield Person(line, name, tuple(about[id].strip() for id in IDS if about.get(id, "").strip()))

    def written(self, cells: dict[tuple[int, int], float]) -> bytes:
        """Return the export as CSV, with new points in some cells, by row and column; empty cells get no quotes."""
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
    if why := _lacking(rows):
        raise FrontError(f"{path} is no export of a Canvas gradebook: {why}.", _FORM)
    newline = "\r\n" if "\r\n" in text else "\n"
    return Export(tuple(rows), delimiter, data.startswith(MARK), newline)


def _lacking(rows: list[tuple[str, ...]]) -> str:
    """Return the first reason why Canvas itself would not read an export; "" if there is none."""
    head = rows[0] if rows else ()
    if not {"Student", "LastName"} & set(head[:1]) or not {"ID", "Section"} <= set(head):
        why = f"its columns begin with {', '.join(map(repr, head[:5]))}" if head else "it is empty"
        return f"{why}, not with Student, ID"
    odd = next((number for number, row in enumerate(rows, 1) if len(row) != len(head)), None)
    if odd is not None:
        return f"row {odd} has {len(rows[odd - 1])} cells, the header {len(head)}"
    return "" if any(POINTS in row[0] for row in rows[1:]) else f"it has no row {POINTS!r}"


def _kept(cell: str) -> str:
    """Return a cell as Canvas wrote it, unless a spreadsheet would run it."""
    is_safe = not cell.startswith(BEGINS) or _NUMBER.fullmatch(cell) or _QUOTED_BY_CANVAS.fullmatch(cell)
    return cell if is_safe else text_cell(cell)


@dataclass(frozen=True)
class Filled:
    """An export with points in it, and what did not fit, one sentence each."""

    data: bytes
    told: tuple[str, ...]


def filled(export: Export, book: Book) -> Filled:
    """Return Canvas's export with the points of a class.

    What is not graded keeps what Canvas has in its cell.
    """
    columns, told = columns_of(export, book.settings)
    rows, untold = rows_of(export, book.rows)
    cells: dict[tuple[int, int], float] = {}
    open_: list[str] = []
    for row, person in rows:
        for place, which in columns.items():
            points = _points(row, which)
            if points is None:
                open_.append(f"{one_line(row.student.name)} in {_head(export, place)}")
            elif export.rows[person.line][place].strip().upper() not in KEPT:
                cells[person.line, place] = points
    if open_:
        told.append(f"{plural(len(open_), 'cell')} {are(len(open_))} as in Canvas, not graded yet: {some(open_)}.")
    return Filled(export.written(cells), (*told, *_other_points(export, columns, book), *untold))


def columns_of(export: Export, settings: ClassSettings) -> tuple[dict[int, int | None], list[str]]:
    """Return the columns with the number of the puzzle whose points they contain, and sentences on what fits none."""
    stems = {assigned.puzzle.number: assigned.puzzle.stem for assigned in settings.assigned}
    fitting: dict[int | None, list[int]] = defaultdict(list)
    told = []
    for place, head in export.assignments.items():
        found: list[int | None] = [*_puzzles_in(head, [assigned.puzzle for assigned in settings.assigned])]
        if _words(_bare(head)) == _words(settings.title):
            found = [TOTAL]
        if len(found) > 1:
            names = " and ".join(stems[number] for number in found if number is not None)
            told.append(f"The column {_head(export, place)} fits {names}: rename it in Canvas; it is left as it is.")
        elif found:
            fitting[found[0]].append(place)
    for which, places in fitting.items():
        if len(places) > 1:
            heads = " and ".join(_head(export, place) for place in places)
            what = stems[which] if which is not None else "the whole class"
            told.append(f"The columns {heads} both fit {what}: rename one in Canvas; they are left as they are.")
    without = [stem for number, stem in stems.items() if number not in fitting]
    if without and TOTAL not in fitting:
        told.append(f"No column of Canvas's export is named as {some(without)}: no points of it are written.")
    return {places[0]: number for number, places in fitting.items() if len(places) == 1}, told


def rows_of(export: Export, rows: Sequence[Row]) -> tuple[list[tuple[Row, Person]], list[str]]:
    """Return each student's row of an export, and who has none; where two fit, neither is taken."""
    known, by_id = Known([row.student for row in rows]), {row.student.id: row for row in rows}
    people: dict[str, list[tuple[int, Person]]] = defaultdict(list)
    for person in export.people:
        for rank, key in enumerate(_keys(person)):
            if (id := known.only(key)) is not None:
                people[id].append((rank, person))
                break
    pairs, told = [], []
    for id, found in people.items():
        surest = min(rank for rank, _ in found)
        fit = [person for rank, person in found if rank == surest]
        if len(fit) > 1:
            name = one_line(by_id[id].student.name)
            told.append(f"{plural(len(fit), 'row')} of Canvas's export fit {name}: enter these points by hand.")
        else:
            pairs.append((by_id[id], fit[0]))
    here = [one_line(row.student.name) for row in rows if row.student.id not in people]
    taken = {person.line for found in people.values() for _, person in found}
    return pairs, [*told, *_alone(export, here, taken)]


def _alone(export: Export, here: list[str], taken: set[int]) -> Iterator[str]:
    """Yield which students of the class have no row in the export, and which rows of the export no student has."""
    there = [one_line(person.name) for person in export.people if person.line not in taken]
    if here:
        yield f"{plural(len(here), 'student')} of the class {are(len(here))} not in the export: {some(here)}."
    if there:
        whose = f"{plural(len(there), 'student')} of the export {are(len(there))} not in the class"
        yield f"{whose}, and keep{'s' if len(there) == 1 else ''} what Canvas has: {some(there)}."


def _points(row: Row, which: int | None) -> float | None:
    if which is TOTAL:
        return row.total
    return next(entry.score.points for entry in row.entries if entry.assigned.puzzle.number == which)


def _other_points(export: Export, columns: dict[int, int | None], book: Book) -> Iterator[str]:
    """Yield where Canvas's possible points differ from those in class.toml."""
    most: dict[int | None, float] = {TOTAL: book.most}
    most.update({one.puzzle.number: one.points for one in book.settings.assigned})
    for place, which in columns.items():
        theirs = export.points[place].strip()
        if re.fullmatch(r"\d+([.,]\d+)?", theirs) and number(most[which]) != number(float(theirs.replace(",", "."))):
            yield f"Canvas has {theirs} points for {_head(export, place)}, class.toml has {number(most[which])}."


def _puzzles_in(head: str, puzzles: Sequence[Puzzle]) -> list[int]:
    """Return the puzzles that a column's head names: by number, and by the longest name in it."""
    text = f" {_words(_bare(head))} "
    numbered = [one.number for one in puzzles if any(f" {name} " in text for name in _numbers(one))]
    named = [
        (len(name), one.number)
        for one in puzzles
        for name in {_words(one.slug), _words(one.title)}
        if f" {name} " in text
    ]
    longest = max((length for length, _ in named), default=0)
    return list(dict.fromkeys([*numbered, *(which for length, which in named if length == longest)]))


def _numbers(puzzle: Puzzle) -> set[str]:
    digits = {str(puzzle.number), f"{puzzle.number:02d}"}
    return {f"{word}{digit}" for word in ("p", "puzzle ", "puzzle") for digit in digits}


def _bare(head: str) -> str:
    """Return an assignment's name without the number that Canvas appends."""
    return re.sub(r"\s*\(\d+\)\s*$", "", head)


def _words(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))


def _keys(person: Person) -> Iterator[str]:
    """Yield the keys under which a student of Canvas's may be known here, most reliable first."""
    yield from map(compact, person.ids)
    yield from (compact(id.partition("@")[0]) for id in person.ids if "@" in id)
    yield from sorted(spellings(person.name))


def _head(export: Export, place: int) -> str:
    return f'"{one_line(export.rows[0][place])}"'
