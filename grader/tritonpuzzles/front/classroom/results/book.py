"""The book of a class: every student with every puzzle, from roster, intake and outcomes; and counts of mistakes.

All tables and pages are made from it, so that they cannot disagree.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from tritonpuzzles.front.classroom.grading.records import merged
from tritonpuzzles.front.classroom.model import Assigned, ClassSettings, Intake, Outcome, Student, Told, Untaken
from tritonpuzzles.front.classroom.results.points import MISSING, NOT_TAKEN, NOT_YET, Score, score
from tritonpuzzles.front.text import one_line
from tritonpuzzles.results.check import Verdict
from tritonpuzzles.results.codes import CODES, Severity
from tritonpuzzles.results.words import first_sentence

Place = tuple[str, int]  # a student's id and a puzzle's number
NO_GRADE = (Verdict.INFRA_ERROR.value, Verdict.SKIP.value)
UNSOLVED = "unsolved"
_SAID_OF_UNSOLVED = "The stub, in which nothing is written yet."


@dataclass(frozen=True)
class Entry:
    """One student and one puzzle."""

    assigned: Assigned
    score: Score
    outcome: Outcome | None = None  # of the file that counts; `None` if none was graded
    untaken: tuple[Untaken, ...] = ()  # files that were meant for this puzzle and are not graded

    @property
    def status(self) -> str:
        """A verdict's value, or `MISSING`, `NOT_TAKEN` or `NOT_YET`."""
        return self.score.status

    @property
    def findings(self) -> tuple[Told, ...]:
        """Those of the file that counts."""
        return self.outcome.findings if self.outcome is not None else ()

    @property
    def error(self) -> Told | None:
        """The finding that explains most: the first that keeps the file from passing."""
        return next((told for told in self.findings if told.severity == Severity.ERROR.value), None)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the intake, the run and the due date say about the file; sentences that its student reads, too."""
        reasons = tuple(f"{untaken.shown}: {untaken.reason}" for untaken in self.untaken)
        late = (self.score.late.note,) if self.score.late.note else ()
        return (*(self.outcome.notes if self.outcome else ()), *late, *reasons)


@dataclass(frozen=True)
class Row:
    """One student, with entries in the order of the puzzles."""

    student: Student
    entries: tuple[Entry, ...]
    is_on_roster: bool = True  # also true if there is no roster
    untaken: tuple[Untaken, ...] = ()  # files that are for no puzzle of the class

    @property
    def points(self) -> float:
        """The sum of what is known."""
        return round(sum(entry.score.points or 0.0 for entry in self.entries), 2)

    @property
    def not_graded(self) -> int:
        """For how many puzzles the points are unknown."""
        return sum(entry.score.points is None for entry in self.entries)

    @property
    def total(self) -> float | None:
        """All points; `None` where some are not known: a sum without them would pass for a grade."""
        return None if self.not_graded else self.points


@dataclass(frozen=True)
class Book:
    """A whole class."""

    settings: ClassSettings
    layout: str  # which system's folder it was, in words
    rows: tuple[Row, ...]  # the roster in its order, then those who are not on it, by id
    untaken: tuple[Untaken, ...] = ()  # all files that are not graded

    @property
    def most(self) -> float:
        """All points that there are."""
        return sum(assigned.points for assigned in self.settings.assigned)

    @property
    def statuses(self) -> Counter[str]:
        """How often there is each status."""
        return Counter(entry.status for row in self.rows for entry in row.entries)

    def column(self, assigned: Assigned) -> Iterator[tuple[Row, Entry]]:
        """Yield every student's entry for a puzzle."""
        place = self.settings.assigned.index(assigned)
        yield from ((row, row.entries[place]) for row in self.rows)


def book_of(settings: ClassSettings, intake: Intake, outcomes: Sequence[Outcome]) -> Book:
    """Return the book of a class: each student of the roster and each who is found anywhere else."""
    graded = {(outcome.student, outcome.puzzle): outcome for outcome in merged(outcomes)}  # the last one counts
    known = {student.id for student in settings.roster}
    found = {*intake.students, *(file.student for file in intake.files), *(student for student, _ in graded)}
    found |= {untaken.student for untaken in intake.untaken if untaken.student}
    students = [*settings.roster, *(Student(id, id) for id in sorted(found - known))]
    waiting = {(file.student, file.puzzle.number) for file in intake.files}
    rows = (_row(student, settings, intake.untaken, graded, waiting) for student in students)
    return Book(settings, intake.layout, tuple(rows), intake.untaken)


def _row(
    student: Student,
    settings: ClassSettings,
    untaken: Iterable[Untaken],
    graded: Mapping[Place, Outcome],
    waiting: set[Place],
) -> Row:
    mine = [one for one in untaken if one.student == student.id]
    entries = []
    for assigned in settings.assigned:
        place = student.id, assigned.puzzle.number
        outcome = graded.get(place)
        meant = tuple(one for one in mine if one.puzzle is not None and one.puzzle.number == place[1])
        if outcome is None:
            status = NOT_YET if place in waiting else NOT_TAKEN if meant else MISSING
            points = score(assigned, settings.late, status)
        else:
            points = score(assigned, settings.late, outcome.verdict, handed_in(outcome), outcome.is_late)
        entries.append(Entry(assigned, points, outcome, meant))
    numbers = {assigned.puzzle.number for assigned in settings.assigned}
    others = tuple(one for one in mine if one.puzzle is None or one.puzzle.number not in numbers)
    return Row(student, tuple(entries), not settings.roster or student in settings.roster, others)


def handed_in(outcome: Outcome) -> datetime | None:
    """Return when a file was handed in; `None` if unknown.

    Raises:
        ValueError: if the outcome's time is malformed.
    """
    if outcome.handed_in is None:
        return None
    return datetime.fromisoformat(outcome.handed_in.replace("Z", "+00:00"))  # Python 3.10 reads no Z


@dataclass(frozen=True)
class Mistake:
    """The same first error in several files, of these rows: the finding's code, and a typical sentence."""

    code: str
    sentence: str
    rows: tuple[Row, ...]

    @property
    def words(self) -> str:
        """The code as a reader would say it: "sum not rescaled"."""
        return one_line(self.code).replace("-", " ")


@dataclass(frozen=True)
class Tally:
    """How many files for one puzzle were graded, how many pass, and the mistakes, the most frequent first."""

    graded: int
    passed: int
    mistakes: tuple[Mistake, ...]


def tally(book: Book, assigned: Assigned) -> Tally:
    """Return the errors of the files for a puzzle; files that could not be graded are not counted."""
    graded = [
        (row, entry)
        for row, entry in book.column(assigned)
        if entry.outcome is not None and entry.status not in NO_GRADE
    ]
    groups: dict[str, list[tuple[Row, Entry]]] = defaultdict(list)
    for row, entry in graded:
        if entry.status != Verdict.PASS.value:
            groups[_code(entry)].append((row, entry))
    mistakes = [Mistake(code, _typical(code, found), tuple(row for row, _ in found)) for code, found in groups.items()]
    mistakes.sort(key=lambda mistake: (-len(mistake.rows), mistake.code))
    passed = sum(entry.status == Verdict.PASS.value for _, entry in graded)
    return Tally(len(graded), passed, tuple(mistakes))


def _code(entry: Entry) -> str:
    return entry.error.code if entry.error is not None else entry.status


def _typical(code: str, found: Sequence[tuple[Row, Entry]]) -> str:
    """Return the meaning of a code of the grader's; for a named mistake, the most frequent sentence."""
    if code in CODES:
        return CODES[code].meaning
    sentences = Counter(first_sentence(one_line(one.error.message)) for _, one in found if one.error is not None)
    if not sentences:
        return _SAID_OF_UNSOLVED if code == UNSOLVED else "No case says more."
    return min(sentences, key=lambda sentence: (-sentences[sentence], len(sentence), sentence))
