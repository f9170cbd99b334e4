"""Read `class.toml` and the hidden cases beside it. What is not understood is refused with its place."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from pathlib import Path
from typing import Annotated, Any

from tritonpuzzles.curriculum.pack import find_pack, open_pack
from tritonpuzzles.curriculum.reading import with_hidden_cases
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import Curriculum, UnknownPuzzleError, load_curriculum
from tritonpuzzles.curriculum.tables import RECORDS, RecordError, read_record, read_toml, refused
from tritonpuzzles.decoding.marks import Between, Called, Checked, DecodeError, short
from tritonpuzzles.front.classroom.intake.roster import read_roster
from tritonpuzzles.front.classroom.model import CLASS_FILE, DEADLINE_SECONDS, Assigned, ClassSettings, Late
from tritonpuzzles.front.errors import FrontError
from tritonpuzzles.results.words import sentence

MOST_POINTS = 1_000_000
MOST_SEED = 2**31 - 1
MOST_SECONDS = 3600
_NEXT = "docs/instructors.md shows a class.toml with every key"
_END_OF_DAY = time(23, 59, 59, 999_999)


def _moment(data: Any) -> datetime:
    """Return a TOML date with a time zone: local if it has none; a date without a time means the end of that day."""
    if isinstance(data, datetime):
        return data if data.tzinfo is not None else data.astimezone()
    if isinstance(data, date):
        return datetime.combine(data, _END_OF_DAY).astimezone()
    raise DecodeError(f"is {short(data)}; a date without quotation marks is expected: 2026-12-01T23:59:00")


Moment = Annotated[Any, Checked(_moment)]


@dataclass(frozen=True)
class _Puzzle:
    """One `[[puzzles]]`; see `Assigned`."""

    name: Annotated[int | str, Called("a number, or a name such as 'online_softmax',")]
    points: Annotated[float, Between(0, MOST_POINTS)] = Assigned.points
    due: Moment = None


@dataclass(frozen=True)
class _Written:
    """The tables of a `class.toml`; see `ClassSettings`."""

    title: str | None = None
    pack: str | None = None
    roster: str | None = None
    solutions: str | None = None
    cases: str | None = None
    seed: Annotated[int, Between(0, MOST_SEED)] | None = None
    timeout: Annotated[float, Between(1, MOST_SECONDS)] = DEADLINE_SECONDS
    due: Moment = None
    late: Late = field(default_factory=Late)
    puzzles: tuple[_Puzzle, ...] = ()


def class_settings(path: Path | None, folder: Path, cases: Path | None = None) -> ClassSettings:
    """Return what a class is graded by: a file that is named, else the folder's `class.toml`, else every puzzle.

    Opens the pack that the file names. Hidden cases are those of `cases`, else of the file that it names.

    Raises:
        FrontError: where a file is not well formed, with its name, the key and what is expected.
    """
    is_named = path is not None
    path = path or folder / CLASS_FILE
    try:
        written = read_record(_Written, path) if is_named or path.is_file() else _Written()
        if written.pack is not None:
            _open(written.pack, path)
        curriculum = load_curriculum()
        if cases is None and written.cases is not None:
            cases = path.parent / written.cases
        hidden = {} if cases is None else with_hidden(curriculum, cases)
        assigned = _assigned(written, curriculum, path.name)
    except RecordError as error:
        raise FrontError(sentence(str(error)), _NEXT) from error
    return ClassSettings(
        title=curriculum.pack.title if written.title is None else written.title,
        assigned=tuple(replace(one, puzzle=hidden.get(one.puzzle.number, one.puzzle)) for one in assigned),
        roster=() if written.roster is None else read_roster(path.parent / written.roster),
        late=written.late,
        seed=written.seed,
        deadline=written.timeout,
        solutions=None if written.solutions is None else _solutions(written.solutions, path),
        cases=cases,
    )


def _open(pack: str, path: Path) -> None:
    try:
        open_pack(find_pack(pack, path.absolute().parent))
    except RecordError as error:
        raise RecordError(f"{path.name}: 'pack': {error}") from error


def _assigned(written: _Written, curriculum: Curriculum, file: str) -> tuple[Assigned, ...]:
    """Return the puzzles of a class, in the order of their numbers.

    Raises:
        RecordError: if the pack has no such puzzle, or one stands there twice.
    """
    found: dict[int, Assigned] = {}
    for one in written.puzzles or [_Puzzle(puzzle.number) for puzzle in curriculum.puzzles]:
        try:
            puzzle = curriculum.find(str(one.name))
        except UnknownPuzzleError as error:
            raise RecordError(f"{file}, puzzle {one.name!r}: {error}") from error
        if puzzle.number in found:
            raise RecordError(f"{file}, puzzle {one.name!r}: puzzle {puzzle.number} stands there twice; remove one")
        found[puzzle.number] = Assigned(puzzle, one.points, one.due if one.due is not None else written.due)
    return tuple(found[number] for number in sorted(found))


def _solutions(name: str, path: Path) -> Path:
    """Return the folder of the solutions.

    Raises:
        FrontError: if there is none.
    """
    folder = path.absolute().parent / name
    if not folder.is_dir():
        what = f"{path.name}: 'solutions' is {name!r}, and {folder} is no folder."
        raise FrontError(what, "name one with files such as p03_online_softmax.py, or remove the key")
    return folder


@dataclass(frozen=True)
class _Hidden:
    """The table of a puzzle in a file of hidden cases.

    [[online_softmax.cases]]
    name = "few rows, each of a prime length"
    why = "A tile that no power of two fills."
    family = "late_maximum"
    shape = ["between(2, 5)", "prime(5000, 7000)"]
    """

    cases: list[dict[str, Any]]  # as records have them


def with_hidden(curriculum: Curriculum, path: Path) -> dict[int, Puzzle]:
    """Return by number the puzzles that a file has hidden cases for, with these.

    Raises:
        RecordError: if it cannot be read, names a puzzle that is not there or twice, or has a case that does not fit.
    """
    found: dict[int, Puzzle] = {}
    data = read_toml(path)
    for name, table in data.items():
        try:
            puzzle = curriculum.find(name)
            cases = RECORDS.read(_Hidden, table).cases
        except UnknownPuzzleError as error:
            raise RecordError(f"{path.name}: {error}") from error
        except DecodeError as error:
            raise refused(path.name, data, error.within(name)) from error
        if puzzle.number in found:
            raise RecordError(f"{path.name}: puzzle {puzzle.number} stands there under two names; take one")
        found[puzzle.number] = with_hidden_cases(puzzle, cases, path.name)
    return found
