"""The students of a class, from a CSV file: our own, or one that Canvas, Gradescope, Moodle or GitHub Classroom writes.

Also which of them a folder's or a file's name means: systems shorten, join and turn names in their own ways.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tritonpuzzles.front.classroom.intake.naming import Person, said
from tritonpuzzles.front.classroom.model import Student
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.results.words import listed
from tritonpuzzles.sandbox import read_regular

MAX_BYTES = 8 << 20
IDS = (  # columns, the first that holds something counts; Gradescope leaves some ids empty
    "id", "student id", "sid", "id number", "github username", "identifier", "username", "login", "email",
    "email address",
)  # fmt: skip
NAMES = (("name",), ("student",), ("full name",), ("first name", "last name", "surname"))
DELIMITERS = ",;\t"
POINTS = "points possible"  # the row of Canvas that is no student
TEST = "student, test"  # Canvas's student who tries the course
STUDENT_ROLES = ("", "student")


def read_roster(path: Path) -> tuple[Student, ...]:
    """Return the students of a CSV file, in its order.

    Raises:
        FrontError: if it cannot be read, has no column of ids, or an id stands there twice.
    """
    try:
        text = read_regular(path, MAX_BYTES).decode("utf-8-sig")
        lines = list(csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text)))
    except OSError as error:
        why = error.strerror or str(error)
        raise FrontError(f"The roster {path} cannot be read: {why}.", "name a CSV file beside class.toml") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise FrontError(f"The roster {path} is no CSV in UTF-8: {error}.", "save it as CSV UTF-8") from error
    header = [_header(cell) for cell in lines[0]] if lines else []
    if not set(header) & set(IDS):
        there = f"its columns are {listed([repr(cell) for cell in lines[0]])}" if lines else "it is empty"
        raise FrontError(f"The roster {path} has no column 'id': {there}.", "its first line: id,name")
    return _students(path, [(n, dict(zip(header, row, strict=False))) for n, row in enumerate(lines[1:], 2)])


def _students(path: Path, rows: Iterable[tuple[int, Mapping[str, str]]]) -> tuple[Student, ...]:
    found: dict[str, tuple[int, Student]] = {}
    for number, row in rows:
        student = _student(row)
        if student is None:
            continue
        if student.id in found:
            lines = f"{found[student.id][0]} and {number}"
            raise FrontError(f"The roster {path} has the id {student.id!r} twice, in lines {lines}.", "remove one")
        found[student.id] = number, student
    if not found:
        raise FrontError(f"The roster {path} names no student.", "write a line for each: id,name")
    return tuple(student for _, student in found.values())


def _student(row: Mapping[str, str]) -> Student | None:
    """Return the student of a row; `None` for an empty one, for a teacher, and for what else Canvas writes there."""
    id = next((row[column].strip() for column in IDS if row.get(column, "").strip()), "")
    names = (" ".join(" ".join(row.get(column, "") for column in columns).split()) for columns in NAMES)
    name = next(filter(None, names), "")
    is_none = name.casefold() in (POINTS, TEST) or row.get("role", "").strip().casefold() not in STUDENT_ROLES
    return None if is_none or not id else Student(id, name or id)


def _header(cell: str) -> str:
    return " ".join(cell.replace("_", " ").casefold().split())


def _delimiter(text: str) -> str:
    """Return what separates cells: spreadsheets write semicolons where the comma is the decimal point."""
    first = text.partition("\n")[0]
    return max(DELIMITERS, key=first.count)


class Known:
    """Finds the student of a roster whom a name means, whichever way round and however joined it is written."""

    def __init__(self, roster: Sequence[Student]) -> None:
        self._ids = {student.id for student in roster}
        self._keys: dict[str, set[str]] = {}
        for student in roster:
            for key in {compact(student.id), *spellings(student.name)}:
                self._keys.setdefault(key, set()).add(student.id)

    def id_of(self, person: Person) -> str:
        """Return the id of the only student of the roster whom a name of a person means; else the person's own."""
        for name in (*person.names, person.id):
            if name in self._ids:
                return name
            found = self._keys.get(compact(name), set()) if compact(name) else set()
            if len(found) == 1:
                return next(iter(found))
        return said(person.id).strip() or "?"


def spellings(name: str) -> set[str]:
    """Return "adalovelace" and "lovelaceada" of "Ada Lovelace", and of "Lovelace, Ada"."""
    last, comma, first = name.partition(",")
    words = [first, last] if comma else name.rsplit(maxsplit=1)
    return {compact("".join(words)), compact("".join(reversed(words)))}


def compact(name: str) -> str:
    """Return the letters and digits of a name, in small letters."""
    return "".join(filter(str.isalnum, name.casefold()))
