"""The data of a class: the settings it is graded by, its submissions, and what is kept of each graded file."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.decoding.marks import Between

CLASS_FILE = "class.toml"
DEADLINE_SECONDS = 20.0  # in total, for importing a file, its host function and its kernels
VERSION = 1  # of a line of `results.jsonl`
MOST_BYTES = 5 * 1024  # of a line


@dataclass(frozen=True)
class Late:
    """What a late file still gets."""

    percent_a_day: Annotated[float, Between(0, 100)] = 0.0  # off its points, for each day begun after the due date
    days: Annotated[int, Between(0, 3650)] = 365  # a file later than this many days gets nothing


@dataclass(frozen=True)
class Assigned:
    """One puzzle of the open pack, its points for a pass on time, and when it is due, with a time zone, if ever."""

    puzzle: Puzzle
    points: float = 1.0
    due: datetime | None = None


@dataclass(frozen=True)
class Student:
    """One line of the roster: the id as in file names, and the name for pages, which is the id if there is none."""

    id: str
    name: str


@dataclass(frozen=True)
class ClassSettings:
    """What a class is graded by."""

    title: str
    assigned: tuple[Assigned, ...]  # the puzzles, in the order of their numbers
    roster: tuple[Student, ...] = ()  # the students; if empty, everyone who handed something in
    late: Late = Late()
    seed: int | None = None  # one for all files, so that every student gets the same cases
    deadline: float = DEADLINE_SECONDS  # seconds for each file: import, host function and kernels together
    solutions: Path | None = None  # folder of the files that must pass before anyone is graded; `None`: the shipped
    cases: Path | None = None  # file of the hidden cases, which are added to the puzzles' own


@dataclass(frozen=True)
class Told:
    """One finding, as a class's pages show it; long sentences are cut."""

    code: str
    severity: str
    message: str
    line: int | None = None
    case: str | None = None
    next_step: str | None = None


@dataclass(frozen=True)
class Outcome:
    """What is known of one file after its check.

    Points are no part of it: they follow from the verdict, the time and `class.toml`, which may change.
    """

    # hash of the file, the grader, the pack, the seed and the options; no file is graded again under the same key
    key: str
    student: str
    puzzle: int
    slug: str
    file: str  # its name, from the class's folder down
    sha256: str  # of the file's bytes
    how: str  # how its puzzle was found
    verdict: str  # value of `results.check.Verdict`; "infra_error" counts as not graded
    device: str = "cpu"
    findings: tuple[Told, ...] = ()
    passed_cases: int = 0
    cases: int = 0
    stars: int = 0
    loads: tuple[tuple[str, float], ...] = ()  # by argument, bytes loaded as a multiple of its size
    rate: float | None = None  # and unit: measured on a GPU
    unit: str = ""
    seconds: float = 0.0  # of its check
    handed_in: str | None = None  # in ISO 8601 with a time zone; `None` if unknown
    is_late: bool = False  # whether the system that collected it marked it as late
    flags: tuple[tuple[str, str], ...] = ()  # codes and sentences: what an instructor may look at; never a verdict
    notes: tuple[str, ...] = ()  # sentences about the file that the student reads, too
    version: int = VERSION


@dataclass(frozen=True)
class Submitted:
    """One file that a student handed in for one puzzle."""

    student: str  # id, as the folder or the file's name has it
    puzzle: Puzzle
    file: Path  # where it lies; a file from an archive lies in a folder of this process
    shown: str  # its name in reports, from the class's folder down: `ada/p03_online_softmax.py`
    how: str  # how its puzzle was found, for the report: "by its name", "by its host function flash_attention"
    handed_in: datetime | None = None  # when; `None` if unknown
    is_late: bool = False  # whether the system that collected it marked it as late
    notes: tuple[str, ...] = ()  # sentences that the student reads, too: of two files for one puzzle, which one counts


@dataclass(frozen=True)
class Untaken:
    """A file that is not graded, and why; never the end of the command."""

    student: str  # id; "" if the file is nobody's
    shown: str  # its name, from the class's folder down
    reason: str  # one sentence
    puzzle: Puzzle | None = None  # the puzzle that it was meant for, if known


@dataclass(frozen=True)
class Intake:
    """Everything that a folder holds."""

    layout: str  # which system's it is, in words: "Canvas's file names"
    files: tuple[Submitted, ...]  # at most one for each student and puzzle, students in order
    untaken: tuple[Untaken, ...] = ()  # what is not graded
    students: tuple[str, ...] = ()  # ids of all whose folder or file was found, graded or not
