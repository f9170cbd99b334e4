"""The students of a class, from a CSV file: our own, or one that Canvas, Gradescope, Moodle or GitHub Classroom writes.

Also finds the student that a folder's or file's name means: systems shorten, join and reorder names differently.

Also reads what systems write about submissions: Gradescope's `submission_metadata.yml`, GitHub Classroom's table.
Gradescope's file is YAML as Ruby writes it. Only that form is read: keys at fixed depths, one value per line. Text that
students wrote is nested deeper and is ignored.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import takewhile
from pathlib import Path

from tritonpuzzles.front.classroom.intake.naming import (
    SUBMISSION_METADATA,
    TABLE,
    Person,
    Place,
    Tree,
    ending,
    read_time,
    said,
)
from tritonpuzzles.front.classroom.model import Student
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.results.words import listed
from tritonpuzzles.sandbox import read_regular

MAX_BYTES = 8 << 20
IDS = (  # the first column that is not empty is used; Gradescope leaves some ids empty
    "id", "student id", "sid", "id number", "github username", "identifier", "username", "login", "email",
    "email address",
)  # fmt: skip
NAMES = (("name",), ("student",), ("full name",), ("first name", "last name", "surname"))
DELIMITERS = ",;\t"  # spreadsheets write semicolons where the comma is the decimal point
POINTS = "points possible"  # the row of Canvas that is no student
TEST = "student, test"  # Canvas's student who tries the course
STUDENT_ROLES = ("", "student")
METADATA_BYTES = 256 << 20  # it holds all that the autograder printed
_SUBMISSION = re.compile(r"(?P<quote>['\"]?)(?P<name>submission_\d+)(?P=quote):\s*")
_FIELD = re.compile(r"  :(?P<key>\w+):(?:\s+(?P<value>.*))?")  # of a submission
_PERSON = re.compile(r"  (?P<dash>[- ]) :(?P<key>name|sid|email):(?:\s+(?P<value>.*))?")  # of a submitter
_ESCAPE = re.compile(r"\\(?:\\|x(?P<two>[0-9A-Fa-f]{2})|U(?P<eight>[0-9A-Fa-f]{8})|(?P<sign>[ae0]))")
_SIGNS = {"a": "\a", "e": "\x1b", "0": "\0"}
REPOSITORY, USER, IDENTIFIER = "student_repository_name", "github_username", "roster_identifier"
TIME = "submission_timestamp"


def read_roster(path: Path) -> tuple[Student, ...]:
    """Return the students of a CSV file, in its order.

    Raises:
        FrontError: if it cannot be read, has no column of ids, has an id twice, or names no student.
    """
    try:
        text = read_regular(path, MAX_BYTES).decode("utf-8-sig")
        delimiter = max(DELIMITERS, key=text.partition("\n")[0].count)
        lines = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except OSError as error:
        why = error.strerror or str(error)
        raise FrontError(f"The roster {path} cannot be read: {why}.", "name a CSV file beside class.toml") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise FrontError(f"The roster {path} is no CSV in UTF-8: {error}.", "save it as CSV UTF-8") from error
    header = [" ".join(cell.replace("_", " ").casefold().split()) for cell in lines[0]] if lines else []
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


class Known:
    """Finds the student of a roster that a name means, whatever the order of its words and the signs between them."""

    def __init__(self, roster: Sequence[Student]) -> None:
        self._ids = {student.id for student in roster}
        self._keys: dict[str, set[str]] = {}
        for student in roster:
            for key in {compact(student.id), *spellings(student.name)} - {""}:
                self._keys.setdefault(key, set()).add(student.id)

    def only(self, key: str) -> str | None:
        """Return the id of the only student that a key means, as `compact` and `spellings` make them."""
        found = self._keys.get(key, set())
        return next(iter(found)) if len(found) == 1 else None

    def id_of(self, person: Person) -> str:
        """Return the id of the only student in the roster that a person's names mean; otherwise the person's own id."""
        for name in (*person.names, person.id):
            found = name if name in self._ids else self.only(compact(name))
            if found is not None:
                return found
        return said(person.id).strip() or "?"


def spellings(name: str) -> set[str]:
    """Return "adalovelace" and "lovelaceada" of "Ada Lovelace", and of "Lovelace, Ada"."""
    last, comma, first = name.partition(",")
    words = [first, last] if comma else name.rsplit(maxsplit=1)
    return {compact("".join(words)), compact("".join(reversed(words)))}


def compact(name: str) -> str:
    """Return the letters and digits of a name, in small letters."""
    return "".join(filter(str.isalnum, name.casefold()))


@dataclass
class Submission:
    """One submission."""

    submitters: list[dict[str, str]] = field(default_factory=list)  # name, sid and email of each, as far as known
    created: datetime | None = None  # when it was handed in

    @property
    def people(self) -> tuple[Person, ...]:
        """The submitters of whom at least one name is known."""
        found = [[one[key] for key in ("sid", "email", "name") if one.get(key)] for one in self.submitters]
        return tuple(Person(names[0], tuple(names)) for names in found if names)


def submissions_in(tree: Tree) -> dict[str, Submission] | None:
    """Return the submissions of an export by the names of their folders; `None` if there is no metadata file.

    Raises:
        FrontError: if the file cannot be read, or names no submitter.
    """
    entry = next((one for one in tree.files if one.parts == (SUBMISSION_METADATA,)), None)
    if entry is None:
        return None
    shown = tree.shown(entry.parts)
    try:
        text = read_regular(entry.path, METADATA_BYTES, follow=False).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FrontError(f"{shown} cannot be read: {error}.", "export the submissions again") from error
    found = read_metadata(text)
    if not any(one.people for one in found.values()):
        what = f"{shown} names no submission with its submitters in the form that Gradescope writes."
        raise FrontError(what, "export the submissions again, or remove the file and name the folders after students")
    return found


def read_metadata(text: str) -> dict[str, Submission]:
    """Return the submissions that a file names."""
    found: dict[str, Submission] = {}
    current, key = Submission(), ""
    for line in text.split("\n"):
        line = line.removesuffix("\r")
        if begins := _SUBMISSION.fullmatch(line):
            current, key = found.setdefault(begins["name"], Submission()), ""
        elif line[:1].strip():
            current, key = Submission(), ""  # another key at the top level: the lines below it belong to no submission
        elif one := _FIELD.fullmatch(line):
            key = one["key"]
            if key == "created_at":
                current.created = read_time(_scalar(one["value"]))
        elif key == "submitters" and (one := _PERSON.fullmatch(line)):
            if one["dash"] == "-" or not current.submitters:
                current.submitters.append({})
            current.submitters[-1][one["key"]] = _scalar(one["value"])
    return found


def _scalar(value: str | None) -> str:
    """Return a value of one line: plain, or in single or double quotation marks."""
    text = (value or "").strip()
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    if len(text) > 1 and text[0] == text[-1] == '"':
        try:
            return str(json.loads(_ESCAPE.sub(_json, text), strict=False))
        except ValueError:
            return text
    return "" if text in ("~", "null") else text


def _json(found: re.Match[str]) -> str:
    """Return as JSON an escape that YAML has and JSON lacks."""
    if found[0] == r"\\":
        return found[0]
    code = found["two"] or found["eight"]
    return json.dumps(chr(min(int(code, 16), 0x10FFFF)) if code else _SIGNS[found["sign"]])[1:-1]


def repositories_in(tree: Tree, clones: Collection[str]) -> dict[str, Place]:
    """Return each clone's student by its folder's name, and when its last commit was pushed, if a table has it."""
    known = _tables(tree)
    alike = takewhile(lambda words: len(set(words)) == 1, zip(*(name.split("-") for name in clones), strict=False))
    begins = "".join(f"{words[0]}-" for words in alike) if len(clones) > 1 else ""  # the assignment's name
    return {name: known.get(name) or Place((_by_name(name, begins),), name) for name in clones}


def _by_name(name: str, begins: str) -> Person:
    """Return the student of a clone; a roster may know a longer part of the name, for users' names have hyphens too."""
    student = name[len(begins) :] or name
    words = name.split("-")
    return Person(student, tuple("-".join(words[n:]) for n in range(len(words))))


def _tables(tree: Tree) -> dict[str, Place]:
    """Return what tables at the top say that have Classroom's columns."""
    found: dict[str, Place] = {}
    for entry in tree.files:
        if len(entry.parts) == 1 and ending(entry.parts[0]) == TABLE:
            try:
                text = read_regular(entry.path, MAX_BYTES, follow=False).decode("utf-8-sig")
                rows = list(csv.DictReader(io.StringIO(text, newline="")))
            except (OSError, UnicodeDecodeError, csv.Error):
                continue  # some other table: a roster may lie here
            found |= {row[REPOSITORY]: _repository(row) for row in rows if row.get(REPOSITORY) and row.get(USER)}
    return found


def _repository(row: dict[str, str]) -> Place:
    names = tuple(filter(None, (row.get(IDENTIFIER), row[USER])))
    return Place((Person(row[USER], names),), row[REPOSITORY], read_time(row.get(TIME) or ""))
