"""Notes on files that are like the shipped solution, or like another student's: something to look at, never a verdict.

Equal after renaming says much of a long kernel and nothing of a short one: most right vector adds are one program. So
few statements count only with comments of the learner's own, word for word; and so do files that were edited a little.
Of the 77,661 pairs of files for one puzzle in this repository's corpora, right and wrong, 2 are equal and long enough.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import combinations

from tritonpuzzles.front.classroom.model import Outcome
from tritonpuzzles.front.classroom.results.book import Place
from tritonpuzzles.front.classroom.results.normal import Part, learners_part
from tritonpuzzles.front.text import one_line, percent
from tritonpuzzles.results.check import Verdict
from tritonpuzzles.results.words import listed, plural

LIKE_SOLUTION, LIKE_ANOTHER = "like-the-solution", "like-another"
LONG = 12  # statements from which equal ones say something: more than a softmax of one tile has
NEAR, COMMENTS = 0.9, 2  # share of equal statements, and equal comments, from which shorter or edited ones do
MOST_COMMENTS, MOST_STATEMENTS = 200, 1000  # of a file, so that none takes long to compare
MOST_NAMED = 4


@dataclass(frozen=True)
class Given:
    """What everyone has of a puzzle, and the shipped solution where there is one."""

    stub: bytes
    solution: bytes | None = None


def with_likenesses(
    outcomes: Sequence[Outcome], texts: Mapping[Place, bytes], given: Mapping[int, Given]
) -> list[Outcome]:
    """Return outcomes with what their files are like among their flags, in place of what was noted of that before.

    An outcome whose file is not there keeps the flags that it has.

    Args:
        outcomes: of files; those that pass are compared.
        texts: of the files, by student and puzzle.
        given: by the puzzle's number.
    """
    noted: dict[Place, tuple[str, str]] = {}
    for number, known in given.items():
        passed = [one for one in outcomes if one.puzzle == number and one.verdict == Verdict.PASS.value]
        noted |= _noted(number, known, {one.student: one for one in passed}, texts)
    return [
        _flagged(one, noted.get((one.student, one.puzzle))) if (one.student, one.puzzle) in texts else one
        for one in outcomes
    ]


def _flagged(outcome: Outcome, note: tuple[str, str] | None) -> Outcome:
    others = tuple(flag for flag in outcome.flags if flag[0] not in (LIKE_SOLUTION, LIKE_ANOTHER))
    added = (note,) if note is not None and outcome.verdict == Verdict.PASS.value else ()
    return replace(outcome, flags=others + added)


def _noted(
    number: int, given: Given, passed: Mapping[str, Outcome], texts: Mapping[Place, bytes]
) -> dict[Place, tuple[str, str]]:
    """Return the flags of one puzzle's files. What is like the solution is not compared with other students' too."""
    parts = {student: _part(texts.get((student, number)), given) for student in passed}
    known = {student: part for student, part in parts.items() if part is not None and part.statements}
    solution = _part(given.solution, given)
    found: dict[Place, tuple[str, str]] = {}
    for student, part in known.items():
        if solution is not None and is_like(part, solution):
            found[student, number] = LIKE_SOLUTION, f"Like the shipped solution: {how_much(part, solution)}."
    rest = {student: part for student, part in known.items() if (student, number) not in found}
    for student, others in like_each_other(rest).items():
        apart = [other for other in others if passed[other].file != passed[student].file]  # a group hands in one file
        if apart:
            alike = how_much(rest[student], rest[apart[0]])
            found[student, number] = LIKE_ANOTHER, f"Like the file of {_names(apart)}: {alike}."
    return found


def _part(text: bytes | None, given: Given) -> Part | None:
    return None if text is None else learners_part(text, given.stub)


def like_each_other(parts: Mapping[str, Part]) -> dict[str, list[str]]:
    """Return for each student those whose parts are like theirs; only pairs that may be are compared."""
    found: dict[str, list[str]] = defaultdict(list)
    for one, other in sorted(_candidates(parts)):
        if is_like(parts[one], parts[other]):
            found[one].append(other)
            found[other].append(one)
    return found


def _candidates(parts: Mapping[str, Part]) -> set[tuple[str, str]]:
    """Return the pairs with equal statements, and those with enough equal comments."""
    equal: dict[tuple[str, ...], list[str]] = defaultdict(list)
    saying: dict[str, list[str]] = defaultdict(list)
    for student, part in sorted(parts.items()):
        equal[part.statements].append(student)
        for comment in sorted(part.comments)[:MOST_COMMENTS]:
            saying[comment].append(student)
    shared = Counter(pair for students in saying.values() for pair in combinations(students, 2))
    same = (pair for students in equal.values() for pair in combinations(students, 2))
    return {*same, *(pair for pair, count in shared.items() if count >= COMMENTS)}


def is_like(one: Part, other: Part) -> bool:
    """Return whether two parts are more alike than chance makes them."""
    if one.statements == other.statements and len(one.statements) >= LONG:
        return True
    return len(one.comments & other.comments) >= COMMENTS and _share(one, other) >= NEAR


def _share(one: Part, other: Part) -> float:
    if max(len(one.statements), len(other.statements)) > MOST_STATEMENTS:
        return float(one.statements == other.statements)
    return SequenceMatcher(None, one.statements, other.statements, autojunk=False).ratio()


def how_much(one: Part, other: Part) -> str:
    """Return how much two parts have in common, in words."""
    count = plural(len(one.statements), "statement")
    equal = one.statements == other.statements
    words = f"all {count}" if equal else f"{percent(_share(one, other))} of {count}"
    shared = len(one.comments & other.comments)
    comments = f", and {plural(shared, 'comment')} word for word" if shared else ""
    return f"{words} that the stub does not have are equal after renaming{comments}"


def _names(students: Iterable[str]) -> str:
    names = [one_line(student) for student in students]
    more = [f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
    return listed(names[:MOST_NAMED] + more)
