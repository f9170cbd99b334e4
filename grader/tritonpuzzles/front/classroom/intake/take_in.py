"""Take in what a class has handed in: one file for each student and puzzle, and a sentence for what is not graded.

No submission is imported or unpickled, and no link is followed. Any fault of a file becomes a finding about it.
"""

from __future__ import annotations

import atexit
import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from tritonpuzzles.curriculum.pack import pack_folder
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front.classroom.intake.gathering import gathered
from tritonpuzzles.front.classroom.intake.layouts import Layout, recognised
from tritonpuzzles.front.classroom.intake.matching import Finder, NotTaken
from tritonpuzzles.front.classroom.intake.naming import (
    GRADED,
    PYTHON,
    Entry,
    Parts,
    Place,
    Tree,
    ending,
    said,
    without_copy,
)
from tritonpuzzles.front.classroom.intake.pieces import Piece, pieces_of
from tritonpuzzles.front.classroom.intake.roster import Known
from tritonpuzzles.front.classroom.model import ClassSettings, Intake, Submitted, Untaken
from tritonpuzzles.results.words import are, listed, plural, sentence

MOST_UNTAKEN = 20  # sentences for one student
PUZZLES, OURS = "puzzles", frozenset({"solutions", "tests", "grader", "benchmarks", "docs"})  # folders of the course's
NOTHING = "No file for a puzzle of this class was found."
MOST_NAMED = 3  # files that do not count
REASONS = (  # in the order of `_rank`
    "it was handed in later",
    "it was handed in later",
    "it is newer",
    "its name has the higher number",
    f"a {PYTHON} file counts before a notebook",
    "its name comes last",
)


def take_in(folder: Path, settings: ClassSettings, layout: Callable[[Tree], Layout] = recognised) -> Intake:
    """Return what a folder or a zip holds for a class.

    The contents of archives and notebooks are written to a temporary folder, which is removed when this process exits.

    Raises:
        FrontError: if there is no such folder, or nothing in it can be read.
        RecordError: if the open pack is not well formed.
    """
    from tritonpuzzles.sandbox import Scratch  # works on Linux only, as grading does

    scratch = Scratch()
    atexit.register(scratch.remove)
    into = Path(os.path.realpath(scratch.path))
    own = [pack_folder(), *([settings.solutions] if settings.solutions else [])]
    found = layout(gathered(folder, into, own))
    return _Taking(found, Finder(settings), Known(settings.roster), into).everything()


class _Taking:
    """What is known while a class is taken in: versions by student and puzzle, and what is not graded by student."""

    def __init__(self, layout: Layout, finder: Finder, known: Known, into: Path) -> None:
        self._layout, self._finder, self._known, self._into = layout, finder, known, into
        self._versions: defaultdict[tuple[str, int], list[Version]] = defaultdict(list)
        self._untaken: defaultdict[str, list[Untaken]] = defaultdict(list)

    def everything(self) -> Intake:
        """Take in all files, and choose which count."""
        tree = self._layout.tree
        for entry in tree.files:
            if ending(entry.parts[-1]) in GRADED and not self._is_ours(entry.parts):
                self._take(entry)
        for parts, clause in tree.refused:
            place = self._layout.place(parts) if parts else None
            self._refuse(parts, clause, self._finder.meant(place.name) if place else None)
        taken = {student for student, _ in self._versions}
        there = {student for parts in tree.folders for student in self._students(parts)}
        for student in there - taken - self._untaken.keys():
            self._untaken[student].append(Untaken(student, student, NOTHING))
        counted = sorted(self._versions, key=lambda key: (_order(key[0]), key[1]))
        return Intake(
            layout=self._layout.said,
            files=tuple(counting(self._versions[key]) for key in counted),
            untaken=tuple(one for student in sorted(self._untaken, key=_order) for one in _few(self._untaken[student])),
            students=tuple(sorted(taken | self._untaken.keys() - {""}, key=_order)),
        )

    def _is_ours(self, parts: Parts) -> bool:
        """Return whether a file belongs to a clone of this course, beside its `puzzles/`, and is no student's work."""
        folders = self._layout.tree.folders
        places = [n for n in range(1, len(parts) - 1) if parts[n] in OURS]
        return any((*parts[:n], PUZZLES) in folders for n in places)

    def _take(self, entry: Entry) -> None:
        """Take in one file, for each student that it belongs to."""
        place = self._layout.place(entry.parts)
        if place is None:
            self._refuse(entry.parts, self._layout.stray)
            return
        for piece in pieces_of(entry.path, place.name, self._finder, self._into):
            if isinstance(piece, NotTaken):
                self._refuse(entry.parts, str(piece), piece.puzzle)
            else:
                self._keep(entry, place, piece)

    def _keep(self, entry: Entry, place: Place, piece: Piece) -> None:
        own, ordered = self._layout.is_handed_in, self._layout.is_ordered
        time = place.handed_in or ((entry.received or entry.modified) if own else None)
        shown = f"{self._layout.tree.shown(entry.parts)}{piece.inside}"
        for student in self._students(entry.parts):
            submitted = Submitted(student, piece.puzzle, piece.file, shown, piece.how, time, place.is_late)
            rank = _rank(submitted, place, entry.modified if ordered else None)
            self._versions[student, piece.puzzle.number].append(Version(submitted, piece.is_stub, rank))

    def _refuse(self, parts: Parts, clause: str, puzzle: Puzzle | None = None) -> None:
        """Record that a file is not graded; an empty clause records nothing."""
        shown, reason = self._layout.tree.shown(parts), sentence(f"It {said(clause)}")
        for student in (self._students(parts) or [""]) if clause else ():
            self._untaken[student].append(Untaken(student, shown, reason, puzzle))

    def _students(self, parts: Parts) -> list[str]:
        place = self._layout.place(parts) if parts else None
        return [self._known.id_of(person) for person in place.people] if place else []


def _order(student: str) -> tuple[str, str]:
    return student.casefold(), student


def _few(untaken: Sequence[Untaken]) -> Iterator[Untaken]:
    """Yield a student's files that are not graded; after the first ones, a count of the rest."""
    yield from untaken[:MOST_UNTAKEN]
    if len(untaken) > MOST_UNTAKEN:
        more = f"And {plural(len(untaken) - MOST_UNTAKEN, 'other file')} that {are(len(untaken) - MOST_UNTAKEN)}"
        yield Untaken(untaken[0].student, untaken[0].student, f"{more} not graded.")


@dataclass(frozen=True)
class Version:
    """One file for a puzzle."""

    submitted: Submitted
    is_stub: bool  # whether it is unchanged since it was shipped
    rank: tuple[Any, ...]  # compared with another file's; the higher tuple counts


def _rank(submitted: Submitted, place: Place, changed: datetime | None) -> tuple[Any, ...]:
    """Return a file's rank; `changed` is its own time, if that tells which of two files is newer."""
    return (
        _seconds(submitted.handed_in),
        place.order,
        _seconds(changed),
        without_copy(place.name)[1],
        ending(place.name) == PYTHON,
        submitted.shown,
    )


def counting(versions: Sequence[Version]) -> Submitted:
    """Return the file that counts, with a note that names the others; unchanged stubs count last and are not named."""
    written = [one for one in versions if not one.is_stub] or versions
    best = max(written, key=lambda version: version.rank)
    others = [one for one in written if one is not best]
    if not others or best.is_stub:
        return best.submitted
    second = max(others, key=lambda version: version.rank)
    differs = next(n for n, (mine, other) in enumerate(zip(best.rank, second.rank, strict=True)) if mine != other)
    names = [one.submitted.shown for one in others[:MOST_NAMED]]
    if len(others) > MOST_NAMED:
        names.append(plural(len(others) - MOST_NAMED, "other"))
    number, shown = best.submitted.puzzle.number, best.submitted.shown
    note = f"For puzzle {number} {shown} counts and not {listed(names)}: {REASONS[differs]}."
    return replace(best.submitted, notes=(*best.submitted.notes, note))


def _seconds(time: datetime | None) -> float:
    return time.timestamp() if time is not None else 0.0
