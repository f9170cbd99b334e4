"""`class.toml`: which puzzles a class is graded on, for how many points, until when, and how a file is run."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from tritonpuzzles.curriculum.record import Puzzle

NAME = "class.toml"
DEADLINE_SECONDS = 20.0  # that importing a file, its host function and its kernels have together


@dataclass(frozen=True)
class Late:
    """What a late file still gets.

    Attributes:
        percent_a_day: taken off its points for each day that has begun after the due date.
        days: after so many days it gets nothing.
    """

    percent_a_day: float = 0.0
    days: int = 365


@dataclass(frozen=True)
class Assigned:
    """One puzzle as the class has it.

    Attributes:
        puzzle: of the open pack.
        points: for a pass, on time.
        due: with its time zone; `None` where any time is on time.
    """

    puzzle: Puzzle
    points: float = 1.0
    due: datetime | None = None


@dataclass(frozen=True)
class Student:
    """One line of the roster.

    Attributes:
        id: as folders and file names have it.
        name: as pages show it; the id where there is none.
    """

    id: str
    name: str


@dataclass(frozen=True)
class ClassSettings:
    """What a class is graded by.

    Attributes:
        assigned: the puzzles, in the order of their numbers.
        roster: the students; empty where those count who handed something in.
        seed: one for all files, so that cases are drawn once and two students are asked the same.
        deadline: seconds for each file, import, host function and kernels together.
        solutions: folder of the files that must pass before anyone is graded; the shipped ones where there is none.
        cases: file of the hidden cases, which the puzzles have beside their own.
    """

    title: str
    assigned: tuple[Assigned, ...]
    roster: tuple[Student, ...] = ()
    late: Late = Late()
    seed: int | None = None
    deadline: float = DEADLINE_SECONDS
    solutions: Path | None = None
    cases: Path | None = None
