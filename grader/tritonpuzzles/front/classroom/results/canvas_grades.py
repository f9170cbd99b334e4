"""`canvas.csv`: Canvas's own export with the points of a class in it, and in sentences what does not fit.

A puzzle's column is found by its name, a student's row by Canvas's ids, else by the name. Where two fit, neither is
taken: points in a wrong row are worse than none.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.front.classroom.intake.roster import compact, spellings
from tritonpuzzles.front.classroom.model import ClassSettings, Student
from tritonpuzzles.front.classroom.results.book import Book, Row
from tritonpuzzles.front.classroom.results.canvas_export import Export, Person
from tritonpuzzles.front.classroom.results.points import number
from tritonpuzzles.front.text import one_line
from tritonpuzzles.results.words import are, plural

NAME = "canvas.csv"
TOTAL = None  # in place of a puzzle's number: the column of all points
KEPT = ("EX", "N/A")  # excused, or not assigned to the student: not ours to change
MOST_NAMED = 5


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
                open_.append(f"{_called(row.student)} in {_head(export, place)}")
            elif export.rows[person.line][place].strip().upper() not in KEPT:
                cells[person.line, place] = points
    if open_:
        told.append(f"{plural(len(open_), 'cell')} {are(len(open_))} as in Canvas, not graded yet: {_some(open_)}.")
    return Filled(export.written(cells), (*told, *_other_points(export, columns, book), *untold))


def columns_of(export: Export, settings: ClassSettings) -> tuple[dict[int, int | None], list[str]]:
    """Return the columns with the number of the puzzle whose points they hold, and in sentences what does not fit."""
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
        told.append(f"No column of Canvas's export is named as {_some(without)}: no points of it are written.")
    return {places[0]: number for number, places in fitting.items() if len(places) == 1}, told


def rows_of(export: Export, rows: Sequence[Row]) -> tuple[list[tuple[Row, Person]], list[str]]:
    """Return each student's row of an export, and who has none; where two fit, neither is taken."""
    keys: dict[str, set[int]] = defaultdict(set)
    for place, row in enumerate(rows):
        for key in {compact(row.student.id), *spellings(row.student.name)} - {""}:
            keys[key].add(place)
    people: dict[int, list[tuple[int, Person]]] = defaultdict(list)
    for person in export.people:
        for rank, key in enumerate(_keys(person)):
            if len(keys.get(key, ())) == 1:
                people[next(iter(keys[key]))].append((rank, person))
                break
    pairs, told = [], []
    for place, found in people.items():
        surest = min(rank for rank, _ in found)
        fit = [person for rank, person in found if rank == surest]
        if len(fit) > 1:
            name = _called(rows[place].student)
            told.append(f"{plural(len(fit), 'row')} of Canvas's export fit {name}: enter these points by hand.")
        else:
            pairs.append((rows[place], fit[0]))
    return pairs, told + _alone(export, rows, people, pairs)


def _alone(
    export: Export,
    rows: Sequence[Row],
    people: dict[int, list[tuple[int, Person]]],
    pairs: Sequence[tuple[Row, Person]],
) -> list[str]:
    """Return who is in Canvas's export alone, and who is not in it."""
    here = [_called(row.student) for place, row in enumerate(rows) if place not in people]
    taken = {person.line for _, person in pairs} | {one.line for found in people.values() for _, one in found}
    there = [one_line(person.name) for person in export.people if person.line not in taken]
    told = []
    if here:
        told.append(f"{plural(len(here), 'student')} of the class {are(len(here))} not in the export: {_some(here)}.")
    if there:
        whose = f"{plural(len(there), 'student')} of the export {are(len(there))} not in the class"
        told.append(f"{whose}, and keep{'s' if len(there) == 1 else ''} what Canvas has: {_some(there)}.")
    return told


def _points(row: Row, which: int | None) -> float | None:
    if which is TOTAL:
        return row.total
    return next(entry.score.points for entry in row.entries if entry.assigned.puzzle.number == which)


def _other_points(export: Export, columns: dict[int, int | None], book: Book) -> Iterator[str]:
    """Yield where Canvas gives another number of points for the same."""
    most: dict[int | None, float] = {TOTAL: book.most}
    most.update({one.puzzle.number: one.points for one in book.settings.assigned})
    for place, which in columns.items():
        theirs = export.points[place].strip()
        if re.fullmatch(r"\d+([.,]\d+)?", theirs) and number(most[which]) != number(float(theirs.replace(",", "."))):
            yield f"Canvas has {theirs} points for {_head(export, place)}, class.toml has {number(most[which])}."


def _puzzles_in(head: str, puzzles: Sequence[Puzzle]) -> list[int]:
    """Return the puzzles that a column's head names: by number, and by the longest name that stands in it."""
    text = f" {_words(_bare(head))} "
    numbered = [one.number for one in puzzles if any(f" {name} " in text for name in _numbers(one))]
    named = [(len(name), one.number) for one in puzzles for name in _names(one) if f" {name} " in text]
    longest = max((length for length, _ in named), default=0)
    return list(dict.fromkeys([*numbered, *(which for length, which in named if length == longest)]))


def _numbers(puzzle: Puzzle) -> set[str]:
    digits = {str(puzzle.number), f"{puzzle.number:02d}"}
    return {f"{word}{digit}" for word in ("p", "puzzle ", "puzzle") for digit in digits}


def _names(puzzle: Puzzle) -> set[str]:
    return {_words(puzzle.slug), _words(puzzle.title)}


def _bare(head: str) -> str:
    """Return an assignment's name without the number that Canvas appends."""
    return re.sub(r"\s*\(\d+\)\s*$", "", head)


def _words(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))


def _keys(person: Person) -> Iterator[str]:
    """Yield what a student of Canvas's may be called here, the surest first."""
    yield from map(compact, person.ids)
    yield from (compact(id.partition("@")[0]) for id in person.ids if "@" in id)
    yield from sorted(spellings(person.name))


def _called(student: Student) -> str:
    return one_line(student.name)


def _head(export: Export, place: int) -> str:
    return f'"{one_line(export.rows[0][place])}"'


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more
