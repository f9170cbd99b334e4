"""What systems write about submissions: Gradescope's `submission_metadata.yml`, and the table of GitHub Classroom.

Gradescope's file is YAML as Ruby writes it. This reads that form and no other: keys at fixed depths, one value a line.
What students have written stands deeper and is never looked at.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime

from tritonpuzzles.front.classroom.intake.naming import SUBMISSION_METADATA, TABLE, Person, Tree, ending, read_time
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.sandbox import read_regular

MAX_BYTES = 256 << 20  # it holds all that the autograder printed
_SUBMISSION = re.compile(r"(?P<quote>['\"]?)(?P<name>submission_\d+)(?P=quote):\s*")
_FIELD = re.compile(r"  :(?P<key>\w+):(?:\s+(?P<value>.*))?")  # of a submission
_PERSON = re.compile(r"  (?P<dash>[- ]) :(?P<key>name|sid|email):(?:\s+(?P<value>.*))?")  # of a submitter
_ESCAPE = re.compile(r"\\(?:\\|x(?P<two>[0-9A-Fa-f]{2})|U(?P<eight>[0-9A-Fa-f]{8})|(?P<sign>[ae0]))")
_SIGNS = {"a": "\a", "e": "\x1b", "0": "\0"}
MAX_TABLE_BYTES = 8 << 20
REPOSITORY, USER, IDENTIFIER = "student_repository_name", "github_username", "roster_identifier"
TIME = "submission_timestamp"


@dataclass
class Submission:
    """One submission.

    Attributes:
        submitters: name, sid and email of each, as far as they are known.
        created: when it was handed in.
    """

    submitters: list[dict[str, str]] = field(default_factory=list)
    created: datetime | None = None

    @property
    def people(self) -> tuple[Person, ...]:
        """Those who handed it in, without those of whom nothing is known."""
        found = [[one[key] for key in ("sid", "email", "name") if one.get(key)] for one in self.submitters]
        return tuple(Person(names[0], tuple(names)) for names in found if names)


def submissions_in(tree: Tree) -> dict[str, Submission] | None:
    """Return the submissions of an export by the names of their folders; `None` where there is no such file.

    Raises:
        FrontError: if the file cannot be read, or names none.
    """
    entry = next((one for one in tree.files if one.parts == (SUBMISSION_METADATA,)), None)
    if entry is None:
        return None
    shown = tree.shown(entry.parts)
    try:
        text = read_regular(entry.path, MAX_BYTES, follow=False).decode("utf-8")
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
            current, key = Submission(), ""  # another key at the top: what stands under it is no submission's
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
    """Return an escape that YAML has and JSON has not as JSON writes it."""
    if found[0] == r"\\":
        return found[0]
    code = found["two"] or found["eight"]
    return json.dumps(chr(min(int(code, 16), 0x10FFFF)) if code else _SIGNS[found["sign"]])[1:-1]


@dataclass(frozen=True)
class Repository:
    """One clone: whose it is, and when the last commit was pushed, where the table says so."""

    person: Person
    handed_in: datetime | None = None


def repositories_in(tree: Tree, clones: Collection[str]) -> dict[str, Repository]:
    """Return what is known of each clone, by its folder's name."""
    known = _tables(tree)
    begins = _common(sorted(clones))
    return {name: known.get(name) or Repository(_by_name(name, begins)) for name in clones}


def _common(names: list[str]) -> str:
    """Return the words that all names begin with, with their hyphens: the assignment's name."""
    shared: list[str] = []
    for words in zip(*(name.split("-") for name in names), strict=False):
        if len(set(words)) > 1:
            break
        shared.append(words[0])
    return "".join(f"{word}-" for word in shared) if len(names) > 1 else ""


def _by_name(name: str, begins: str) -> Person:
    """Return the student of a clone; a roster may know a longer part of the name, for users' names have hyphens too."""
    student = name[len(begins) :] or name
    words = name.split("-")
    return Person(student, tuple("-".join(words[n:]) for n in range(len(words))))


def _tables(tree: Tree) -> dict[str, Repository]:
    """Return what tables at the top say that have Classroom's columns."""
    found: dict[str, Repository] = {}
    for entry in tree.files:
        if len(entry.parts) == 1 and ending(entry.parts[0]) == TABLE:
            try:
                text = read_regular(entry.path, MAX_TABLE_BYTES, follow=False).decode("utf-8-sig")
                rows = list(csv.DictReader(io.StringIO(text, newline="")))
            except (OSError, UnicodeDecodeError, csv.Error):
                continue  # some other table: a roster may lie here
            found |= {row[REPOSITORY]: _repository(row) for row in rows if row.get(REPOSITORY) and row.get(USER)}
    return found


def _repository(row: dict[str, str]) -> Repository:
    names = tuple(filter(None, (row.get(IDENTIFIER), row[USER])))
    return Repository(Person(row[USER], names), read_time(row.get(TIME) or ""))
