"""Try changes on a file's cases, one after the other, until one makes every case right or the time is over."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from tritonpuzzles.judge.diagnosis.arguments import LaunchEdit, launchable
from tritonpuzzles.judge.diagnosis.kerneltext import Edit
from tritonpuzzles.judge.evidence.cases import CaseEvidence
from tritonpuzzles.judge.verdict.judged import Cases, JudgedCase, has_errors
from tritonpuzzles.judge.verdict.one_case import judge_case
from tritonpuzzles.judge.workers.lanes import CaseProgram
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.codes import Severity
from tritonpuzzles.results.cover import INT32_OVERFLOW

SECONDS = 40.0  # for all changes: more than they need, so that a busy machine reports what an idle one does
LITTLE, MUCH = 0.3, 1.5  # seconds beyond twice the case's: for a change not seen to fix a case yet, and one that has
MOST_SECONDS = 1.0  # compute time of a case that may run again: small cases that take longer do far too much work
FAR_SECONDS = 3.0  # the same, for a case without values: it is run again for a change that fixes all others
MOST_BYTES = 4 << 20  # moved by a case that may run again: cases that move more take as long as all others
MOST_BYTES_OF_ALL = 32 << 20  # moved by all cases that a change is tried on, unless too few of them have run
SLOWER = 4  # times as few changes are tried if all wrong cases move many bytes
FEWEST_OF_TWO = 2  # wrong cases: each of two changes makes some of them right
FEW = 3  # cases of a kind: if more exist, a change that fixes fewer than this may do so by chance

Change = Edit | LaunchEdit
Replay = Callable[[CaseProgram, float], CaseEvidence | None]  # runs a program, with so many extra seconds


class _EngineLostError(Exception):
    """A change ended the engine, or took too long."""


@dataclass(frozen=True)
class Mending:
    """Changes, applied in order, that make all `tried` cases right; `clean` if no error is left in them."""

    changes: tuple[Change, ...]
    tried: int
    clean: bool


class Search:
    """Tries changes on one file's cases.

    At most `most` are tried. `code` is that of an error that must disappear as well, if it is not one of values.

    Attributes:
        cases: the number of cases with values that are quick to run.
        failing: those of them that are wrong.
        wrong, right: the cases that changes are tried on, sorted by the memory that they move, then by size.
    """

    def __init__(self, trial: Trial, judged: Cases, replay: Replay, code: str | None, most: int) -> None:
        self._trial, self._replay, self._code = trial, replay, code
        self._deadline = time.monotonic() + SECONDS
        self._left: dict[tuple[str, tuple[Change, ...]], set[str] | None] = {}  # error codes left after changes
        self._all = [case.drawn.name for case in judged if case.evidence.launches]
        ran = [case for case in judged if case.comparison is not None and _is_quick(case)]
        ran.sort(key=lambda case: (case.evidence.moved_bytes, sum(case.drawn.sizes.values())))
        self.cases, self.failing = len(ran), [case for case in ran if self._fails(case)]
        small = [case for case in ran if case.evidence.moved_bytes <= MOST_BYTES]
        tried = small if sum(map(self._fails, small)) >= FEW else ran
        self._most = most if any(map(self._fails, small)) else most // SLOWER
        self.wrong = [case for case in tried if self._fails(case)]
        self.right = [case for case in tried if not self._fails(case)]
        quick = [case for case in judged if case.drawn.phantom and case.evidence.seconds <= FAR_SECONDS]
        self._far = [case for case in quick if case.evidence.failure is None and not has_errors(case.findings)]

    def _fails(self, case: JudgedCase) -> bool:
        return case.is_wrong or self._code in set(errors(case))

    def explained(self, judged: Cases) -> list[JudgedCase]:
        """Return the cases that are explained by a change that leaves no error in the cases it was tried on.

        A case with an int32 overflow is an exception: it is explained only if an overflow also occurred in a case that
        was tried. The offset may wrap around in the large case only.
        """
        known = {code for case in self.wrong for code in errors(case)}
        wrong = (case for case in judged if case.is_wrong or any(errors(case)))
        return [case for case in wrong if INT32_OVERFLOW not in set(errors(case)) - known]

    def one(self, ordered: Sequence[Change]) -> Mending | None:
        """Return the first change that makes every case right, as far as the time allows."""
        if not self.wrong:
            return None
        found = map(self._complete, self._mendings(ordered, (), self.wrong))
        return next(filter(None, found), None)

    def _complete(self, mending: Mending) -> Mending | None:
        """Try a change on the wrong cases that move much memory too; return `None` if one of them stays wrong.

        A change that fixes all cases but one is no proof of a cause, nor is one that spoils the addresses of a case too
        large to have values, or asks for more programs than a grid takes.
        """
        large = [case for case in self.failing if case not in self.wrong]
        if not all(launchable(self.program(name, mending.changes)) for name in self._all):
            return None
        try:
            left = [self._errors_left(case, mending.changes, MUCH) for case in (*large, *self._far)]
        except _EngineLostError:
            return None
        if None in left:
            return None
        return replace(mending, tried=mending.tried + len(large), clean=mending.clean and not any(left))

    def two(
        self, ordered: Sequence[Change], more: Callable[[Change], Sequence[Change]]
    ) -> tuple[Mending, list[str]] | None:
        """Return two changes that make all wrong cases right, and the names of those that the first one makes right."""
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
        """Yield each change that makes some wrong cases right, applied after earlier changes."""
        with contextlib.suppress(_EngineLostError):
            for change in ordered[: self._most]:
                if time.monotonic() > self._deadline:
                    return
                if (found := self._tried((*before, change), wrong)) is not None:
                    yield found

    def _tried(self, changes: tuple[Change, ...], wrong: Cases) -> Mending | None:
        """Try changes; return what they fix if they make all wrong cases right, else `None`.

        No right case may become wrong: wrong and right cases are tried alternately. If all cases move much memory, only
        some right ones are tried.
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
        """Return the error codes left in a case after some changes; `None` if it is not right, or has new errors.

        A case runs once for the same changes, for at most `more` seconds beyond twice its own time. Raises
        _EngineLostError if the engine cannot be used any more.
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
        compared = case.drawn.phantom or (now.comparison is not None and not now.comparison.findings)
        if not compared or self._fails(now):
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
    """Return the share of wrong elements in a case's first wrong output."""
    return case.mismatch.wrong / case.mismatch.total if case.mismatch is not None else 1.0
