"""What was handed in: the files of a class, each with its student and its puzzle, and what could not be taken."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from tritonpuzzles.curriculum.record import Puzzle


@dataclass(frozen=True)
class Submitted:
    """One file that a student handed in for one puzzle.

    Attributes:
        student: id, as the folder or the file's name has it.
        file: where it lies; what came in an archive lies in a folder of this process.
        shown: its name as everyone knows it, from the folder of the class on: `ada/p03_online_softmax.py`.
        how: how it found its puzzle, for the report: "by its name", "by its host function flash_attention".
        handed_in: when; `None` where nobody knows.
        is_late: whether the system that collected it says so.
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
        student: id; empty where it is nobody's.
        shown: its name from the folder of the class on.
        reason: one sentence.
        puzzle: where it is known which it was meant for.
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
