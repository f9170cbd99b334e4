"""Try changes on a file's cases, one after the other, until one makes every case right or the time is over."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from tritonpuzzles.judge.diagnosis.arguments import LaunchEdit
from tritonpuzzles.judge.diagnosis.kerneltext import Edit
from tritonpuzzles.judge.evidence.cases import CaseEvidence
from tritonpuzzles.judge.verdict.judged import Cases, JudgedCase, is_wrong
from tritonpuzzles.judge.verdict.one_case import judge_case
from tritonpuzzles.judge.workers.lanes import CaseProgram
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.codes import Severity
from tritonpuzzles.results.cover import INT32_OVERFLOW

SECONDS = 40.0  # for all changes: more than they take, so that a busy machine reports what an idle one does
LITTLE, MUCH = 0.3, 1.5  # seconds more than twice the case's, for a change that mends nothing yet or has mended a case
MOST_SECONDS = 1.0  # that a case may compute, to be run again: what takes longer in small cases does far too much
MOST_BYTES = 4 << 20  # that a case may move, to be run again: those that move more take as long as all others
MOST_BYTES_OF_ALL = 32 << 20  # that the cases may move on which a change is tried, but for enough of them
FEWEST_OF_TWO = 2  # wrong cases: each of two changes makes some of them right
FEW = 3  # cases of a kind: of fewer, where there are more, a change that mends them may do so by chance

Change = Edit | LaunchEdit
Replay = Callable[[CaseProgram, float], CaseEvidence | None]  # runs a program of the file, for so many seconds more


class _EngineLostError(Exception):
    """A change ended the engine, or took too long."""


@dataclass(frozen=True)
class Mending:
    """Changes, one after the other, that make all cases right of so many that were tried, clean if without an error."""

    changes: tuple[Change, ...]
    tried: int
    clean: bool


class Search:
    """Tries changes on one file's cases.

    Args:
        trial: what was tried.
        judged: its cases.
        replay: runs a case's program.
        code: of an error that must be gone, too, where it is not of values.
        most: changes that are tried.

    Attributes:
        cases: how many have values.
        failing: those of them that are wrong.
        wrong, right: those that are tried, those first that move the least memory, the smallest of them first.
    """

    def __init__(self, trial: Trial, judged: Cases, replay: Replay, code: str | None, most: int) -> None:
        self._trial, self._replay, self._code, self._most = trial, replay, code, most
        self._deadline = time.monotonic() + SECONDS
        self._left: dict[tuple[str, tuple[Change, ...]], set[str] | None] = {}  # what is found in a case after changes
        ran = [case for case in judged if case.comparison is not None and _is_quick(case)]
        ran.sort(key=lambda case: (case.evidence.moved_bytes, sum(case.drawn.sizes.values())))
        self.cases, self.failing = len(ran), [case for case in ran if self._fails(case)]
        small = [case for case in ran if case.evidence.moved_bytes <= MOST_BYTES]
        tried = small if sum(map(self._fails, small)) >= FEW else ran
        self.wrong = [case for case in tried if self._fails(case)]
        self.right = [case for case in tried if not self._fails(case)]

    def _fails(self, case: JudgedCase) -> bool:
        return is_wrong(case) or self._code in set(errors(case))

    def explained(self, judged: Cases) -> list[JudgedCase]:
        """Return the cases that a change explains after which nothing is found in those that were tried.

        An offset that wraps around where a case is too large to be tried has been seen there alone: it is explained
        where one did in a case that was tried.
        """
        known = {code for case in self.wrong for code in errors(case)}
        wrong = (case for case in judged if is_wrong(case) or any(errors(case)))
        return [case for case in wrong if INT32_OVERFLOW not in set(errors(case)) - known]

    def one(self, ordered: Sequence[Change]) -> Mending | None:
        """Return the first change that makes every case right, as far as the time allows."""
        if not self.wrong:
            return None
        found = map(self._complete, self._mendings(ordered, (), self.wrong))
        return next(filter(None, found), None)

    def _complete(self, mending: Mending) -> Mending | None:
        """Return what changes mend with those wrong cases that move much memory; nothing if one stays wrong.

        What is right in all but one is no proof of a cause.
        """
        large = [case for case in self.failing if case not in self.wrong]
        try:
            left = [self._errors_left(case, mending.changes, MUCH) for case in large]
        except _EngineLostError:
            return None
        if None in left:
            return None
        return replace(mending, tried=mending.tried + len(large), clean=mending.clean and not any(left))

    def two(
        self, ordered: Sequence[Change], more: Callable[[Change], Sequence[Change]]
    ) -> tuple[Mending, list[str]] | None:
        """Return two changes that make all wrong cases right, and which of them the first makes right by itself."""
        if len(self.wrong) < FEWEST_OF_TWO:
            return None
        plainest = sorted(self.wrong, key=_share)[:1]
        for first in self._mendings(ordered, (), plainest):
            with contextlib.suppress(_EngineLostError):
                left = [case for case in self.wrong if self._errors_left(case, first.changes, MUCH) is None]
                both = next(self._mendings(more(first.changes[0]), first.changes, left), None) if left else None
                all_right = self._tried(both.changes, self.wrong) if both is not None else None
                if all_right is not None and (all_right := self._complete(all_right)) is not None:
                    return all_right, [case.drawn.name for case in self.wrong if case not in left]
        return None

    def program(self, case: str, changes: Sequence[Change] = ()) -> CaseProgram:
        """Return the program of a case after some changes."""
        program, file = self._trial.program(case), self._trial.text_file
        for change in changes:
            if isinstance(change, LaunchEdit):
                program = change.of(program)
            else:
                program = replace(program, texts={**program.texts, file: change.of(program.texts[file])})
        return program

    def _mendings(self, ordered: Sequence[Change], before: tuple[Change, ...], wrong: Cases) -> Iterator[Mending]:
        """Yield what each change mends that makes some wrong cases right, behind changes that were made before."""
        with contextlib.suppress(_EngineLostError):
            for change in ordered[: self._most]:
                if time.monotonic() > self._deadline:
                    return
                if (found := self._tried((*before, change), wrong)) is not None:
                    yield found

    def _tried(self, changes: tuple[Change, ...], wrong: Cases) -> Mending | None:
        """Return what changes mend if they make all wrong cases right.

        No right case may become wrong: wrong and right ones are tried in turn, of right ones enough where all move much
        memory.
        """
        cases = [case for pair in zip_longest(wrong, self.right) for case in pair if case is not None]
        enough = 2 * min(FEW, len(wrong), len(self.right)) or min(FEW, len(wrong))
        clean, tried, moved = True, 0, 0
        for case in cases:
            if tried >= enough and moved > MOST_BYTES_OF_ALL and not self._fails(case):
                continue
            moved += case.evidence.moved_bytes
            left = self._errors_left(case, changes, MUCH if tried else LITTLE)
            if left is None:
                return None
            clean, tried = clean and not left, tried + 1
        return Mending(changes, tried, clean)

    def _errors_left(self, case: JudgedCase, changes: tuple[Change, ...], more: float) -> set[str] | None:
        """Return the codes of what is found in a case after some changes; `None` if it is not right, or more is found.

        It is run once for the same changes, and may take so many seconds more than twice those of the case.

        Raises:
            _EngineLostError: if nothing can be asked any more.
        """
        key = case.drawn.name, changes
        if key not in self._left:
            self._left[key] = self._run(case, changes, more)
        return self._left[key]

    def _run(self, case: JudgedCase, changes: tuple[Change, ...], more: float) -> set[str] | None:
        told = self._replay(self.program(case.drawn.name, changes), more)
        if told is None or told.lost:
            raise _EngineLostError
        if told.failure is not None:
            return None
        now = judge_case(self._trial, case.drawn, replace(told, gpu=case.evidence.gpu))
        if now.comparison is None or now.comparison.findings or self._fails(now):
            return None
        left = set(errors(now))
        return left if left <= set(errors(case)) else None


def errors(case: JudgedCase) -> Iterator[str]:
    """Yield the codes of the errors that are found in a case."""
    return (finding.code for finding in case.findings if finding.severity is Severity.ERROR)


def _is_quick(case: JudgedCase) -> bool:
    """Return whether a case may be run many times."""
    drawn = case.drawn
    takes_long = case.evidence.seconds > MOST_SECONDS or drawn.case.cached
    return not (takes_long or drawn.phantom or drawn.drawing is not None)


def _share(case: JudgedCase) -> float:
    """Return how many of a case's elements are wrong, of all of its first wrong output."""
    mismatch = case.comparison.result.mismatch if case.comparison is not None else None
    return mismatch.wrong / mismatch.total if mismatch is not None else 1.0
