"""Clones of GitHub Classroom: whose each is, by its name or by the table that Classroom offers to download."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from tritonpuzzles.front.classroom.intake.naming import TABLE, ending
from tritonpuzzles.front.classroom.intake.people import Person
from tritonpuzzles.front.classroom.intake.times import read_time
from tritonpuzzles.front.classroom.intake.tree import Tree
from tritonpuzzles.sandbox import read_regular

MAX_BYTES = 8 << 20
REPOSITORY, USER, IDENTIFIER = "student_repository_name", "github_username", "roster_identifier"
TIME = "submission_timestamp"


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
                text = read_regular(entry.path, MAX_BYTES, follow=False).decode("utf-8-sig")
                rows = list(csv.DictReader(io.StringIO(text, newline="")))
            except (OSError, UnicodeDecodeError, csv.Error):
                continue  # some other table: a roster may lie here
            found |= {row[REPOSITORY]: _repository(row) for row in rows if row.get(REPOSITORY) and row.get(USER)}
    return found


def _repository(row: dict[str, str]) -> Repository:
    names = tuple(filter(None, (row.get(IDENTIFIER), row[USER])))
    return Repository(Person(row[USER], names), read_time(row.get(TIME) or ""))
