"""Which mistake how often: what a class has not understood, puzzle by puzzle."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from tritonpuzzles.front.classroom.model import Assigned, Told
from tritonpuzzles.front.classroom.results.book import Book, Entry, Row
from tritonpuzzles.front.classroom.results.told import first_error
from tritonpuzzles.front.text import one_line
from tritonpuzzles.results.check import Verdict
from tritonpuzzles.results.codes import CODES
from tritonpuzzles.results.words import first_sentence

NO_GRADE = (Verdict.INFRA_ERROR.value, Verdict.SKIP.value)
UNSOLVED = "unsolved"
_SAID_OF_UNSOLVED = "The stub, in which nothing is written yet."


@dataclass(frozen=True)
class Mistake:
    """What several files fail by first.

    Attributes:
        code: of the finding.
        sentence: typical of them.
        rows: whose files.
    """

    code: str
    sentence: str
    rows: tuple[Row, ...]

    @property
    def words(self) -> str:
        """The code as a reader would say it: "sum not rescaled"."""
        return one_line(self.code).replace("-", " ")


@dataclass(frozen=True)
class Tally:
    """One puzzle.

    Attributes:
        graded, passed: files.
        mistakes: the most frequent first.
    """

    assigned: Assigned
    graded: int
    passed: int
    mistakes: tuple[Mistake, ...]


def tally(book: Book, assigned: Assigned) -> Tally:
    """Return what the files for a puzzle fail by; what the grader failed in is none of them."""
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
    return Tally(assigned, len(graded), passed, tuple(mistakes))


def _code(entry: Entry) -> str:
    error = first_error(entry.outcome)
    return error.code if error is not None else entry.status


def _typical(code: str, found: Sequence[tuple[Row, Entry]]) -> str:
    """Return what a code of the grader's means; of a named mistake the sentence that most files got."""
    if code in CODES:
        return CODES[code].meaning
    told = [error for _, entry in found if (error := first_error(entry.outcome)) is not None]
    if not told:
        return _SAID_OF_UNSOLVED if code == UNSOLVED else "No case says more."
    sentences = Counter(map(_first, told))
    return min(sentences, key=lambda sentence: (-sentences[sentence], len(sentence), sentence))


def _first(told: Told) -> str:
    return first_sentence(one_line(told.message))
