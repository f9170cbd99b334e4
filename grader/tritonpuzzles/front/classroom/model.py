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
    """What a late file still gets.

    Attributes:
        percent_a_day: taken off its points for each day that has begun after the due date.
        days: a file later than this many days gets nothing.
    """

    percent_a_day: Annotated[float, Between(0, 100)] = 0.0
    days: Annotated[int, Between(0, 3650)] = 365


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
    """What a class is graded by.

    Attributes:
        assigned: the puzzles, in the order of their numbers.
        roster: the students; if empty, everyone who handed something in.
        seed: one for all files, so that every student gets the same cases.
        deadline: seconds for each file: import, host function and kernels together.
        solutions: folder of the files that must pass before anyone is graded; if `None`, the shipped ones.
        cases: file of the hidden cases, which are added to the puzzles' own.
    """

    title: str
    assigned: tuple[Assigned, ...]
    roster: tuple[Student, ...] = ()
    late: Late = Late()
    seed: int | None = None
    deadline: float = DEADLINE_SECONDS
    solutions: Path | None = None
    cases: Path | None = None


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

    Attributes:
        key: hash of the file, the grader, the pack, the seed and the options; a file whose key is already graded is
            not graded again.
        file: its name, from the class's folder down.
        sha256: of the file's bytes.
        how: how its puzzle was found.
        verdict: value of `results.check.Verdict`; "infra_error" counts as not graded.
        loads: by argument, bytes loaded as a multiple of its size.
        rate, unit: measured on a GPU.
        seconds: duration of the check.
        handed_in: in ISO 8601 with a time zone; `None` if unknown.
        is_late: whether the system that collected it marked it as late.
        flags: codes of what an instructor may want to look at, with a sentence each; never a verdict.
        notes: sentences about the file that the student reads, too.
    """

    key: str
    student: str
    puzzle: int
    slug: str
    file: str
    sha256: str
    how: str
    verdict: str
    device: str = "cpu"
    findings: tuple[Told, ...] = ()
    passed_cases: int = 0
    cases: int = 0
    stars: int = 0
    loads: tuple[tuple[str, float], ...] = ()
    rate: float | None = None
    unit: str = ""
    seconds: float = 0.0
    handed_in: str | None = None
    is_late: bool = False
    flags: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    version: int = VERSION


@dataclass(frozen=True)
class Submitted:
    """One file that a student handed in for one puzzle.

    Attributes:
        student: id, as the folder or the file's name has it.
        file: where it lies; a file from an archive lies in a folder of this process.
        shown: its name in reports, from the class's folder down: `ada/p03_online_softmax.py`.
        how: how its puzzle was found, for the report: "by its name", "by its host function flash_attention".
        handed_in: when; `None` if unknown.
        is_late: whether the system that collected it marked it as late.
        notes: sentences about it that the student reads, too: of two files for one puzzle, which one counts.
    """

    student: str
    puzzle: Puzzle
    file: Path
    shown: str
    how: str
    handed_in: datetime | None = None
    is_late: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Untaken:
    """A file that is not graded, and why; never the end of the command.

    Attributes:
        student: id; empty if the file is nobody's.
        shown: its name, from the class's folder down.
        reason: one sentence.
        puzzle: the puzzle that it was meant for, if known.
    """

    student: str
    shown: str
    reason: str
    puzzle: Puzzle | None = None


@dataclass(frozen=True)
class Intake:
    """Everything that a folder holds.

    Attributes:
        layout: which system's it is, in words: "Canvas's file names".
        files: at most one for each student and puzzle, students in order.
        untaken: what is not graded.
        students: ids of all whose folder or file was found, graded or not.
    """

    layout: str
    files: tuple[Submitted, ...]
    untaken: tuple[Untaken, ...] = ()
    students: tuple[str, ...] = ()
