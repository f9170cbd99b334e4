"""Prove where a kernel is wrong: with one small edit of a line every case is right.

The recorded program of a case is run once more with the edited text, in the engine and within its walls, as often as
the time allows. What mends every case is a proof of the place, and of what kind of thing is wrong there; the edit is
not told.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from tritonpuzzles.judge.diagnosis.edits import BITS, Edit, edits
from tritonpuzzles.judge.evidence.cases import CaseEvidence
from tritonpuzzles.judge.verdict.diagnosis import UNPROVEN
from tritonpuzzles.judge.verdict.judged import JudgedCase, is_wrong
from tritonpuzzles.judge.verdict.one_case import judge_case
from tritonpuzzles.judge.verdict.patterns import FEW_BITS, SEEN, UNKNOWN, have_wrong_values
from tritonpuzzles.judge.verdict.strides import STRIDES
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.causes import LOCATED, MENDED, PROOF, account_of
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.codes import Severity

SECONDS, EDITS = 1.5, 100  # in which edits are tried, or as many: a slow machine has longer
MOST_SECONDS = 6.0
MORE = 1.5  # for one that mends the first case, to be tried on the others
FEW = 3  # cases of a kind: of fewer, where there are more, an edit that mends them may do so by chance
ELSEWHERE, TRACED = 0.5, 1.0  # what is added to the cost of edits of other lines than that told of, and traced to

Replay = Callable[[int, str], CaseEvidence | None]  # runs a case, by its index, with another text


class _EngineLostError(Exception):
    """An edit ended the engine, or took too long."""


def mended(trial: Trial, judged: Sequence[JudgedCase], findings: Sequence[Finding], replay: Replay) -> list[Finding]:
    """Return findings with the line that can be mended, where what is told first says little of wrong values.

    Args:
        trial: what was tried; its engine is asked for nothing else afterwards.
        judged: its cases.
        findings: about it, the first error first.
        replay: runs a case with another text of the file.
    """
    asked = next((finding for finding in _first(findings) if _is_vague(finding)), None)
    if asked is None or trial.text is None:
        return list(findings)
    search = _Search(trial, judged, trial.text, replay)
    edit = search.first(sorted(edits(trial.text), key=lambda edit: _order(edit, asked)))
    if edit is None or (edit.line == asked.line and asked.code not in (UNKNOWN, FEW_BITS)):
        return list(findings)
    told = _told(asked, edit, search)
    return [told if finding is asked else finding for finding in findings]


def _first(findings: Sequence[Finding]) -> Iterator[Finding]:
    """Return the first error, and what a report shows first."""
    yield from [finding for finding in findings if finding.severity is Severity.ERROR][:1]
    yield from (cause.first for cause in account_of(findings).open)


def _is_vague(finding: Finding) -> bool:
    """Return whether values alone led to a finding, and would lead to it from other mistakes, too."""
    return finding.code in (UNKNOWN, FEW_BITS, STRIDES) or UNPROVEN in finding.details


def _order(edit: Edit, asked: Finding) -> tuple[float, int]:
    """Return when an edit is tried: sooner where the right track is left, and what learners do most often."""
    away = 0 if asked.line is None else abs(edit.line - asked.line)
    return edit.cost + (TRACED if LOCATED in asked.details else ELSEWHERE) * (away > 0), away


@dataclass
class _Search:
    """Tries one edit after the other on one file's cases."""

    trial: Trial
    judged: Sequence[JudgedCase]
    text: str
    replay: Replay

    def __post_init__(self) -> None:
        ran = [case for case in self.judged if case.comparison is not None and not case.drawn.case.cached]
        ran.sort(key=lambda case: case.evidence.moved_bytes)
        self.wrong = [case for case in ran if is_wrong(case)]
        right = [case for case in ran if not is_wrong(case)]
        together = zip_longest(self.wrong, right)
        self.cases = [case for pair in together for case in pair if case is not None]
        self.enough = 2 * min(FEW, len(self.wrong), len(right)) or min(FEW, len(self.wrong))
        self.tried = 0  # cases with the edit that mends them
        self.left = False  # whether an error is found in one of them all the same
        self._index = {drawn.name: index for index, drawn in enumerate(self.trial.cases)}

    def first(self, ordered: Sequence[Edit]) -> Edit | None:
        """Return the first edit that makes every case right; `None` if the time is over before, or none does."""
        if not self.wrong:
            return None
        began = time.monotonic()
        try:
            for number, edit in enumerate(ordered):
                over = time.monotonic() - began > (SECONDS if number >= EDITS else MOST_SECONDS)
                if over:
                    break
                if self._mends(edit, time.monotonic() + MORE):
                    return edit
        except _EngineLostError:
            return None
        return None

    def explained(self) -> list[str]:
        """Return the cases that the edit mends: all that fail, where nothing is found any more in those tried."""
        failing = self.wrong if self.left else [case for case in self.judged if is_wrong(case) or any(_errors(case))]
        return [case.drawn.name for case in failing]

    def _mends(self, edit: Edit, deadline: float) -> bool:
        """Return whether an edit makes every case right, or enough of them until the time is over."""
        text = edit.of(self.text)
        self.tried, self.left = 0, False
        for case in self.cases:
            if self.tried >= self.enough and time.monotonic() > deadline:
                break
            try:
                if not self._is_right(case, text):
                    return False
            except _EngineLostError:
                if self.tried < self.enough:
                    raise
                break
            self.tried += 1
        return True

    def _is_right(self, case: JudgedCase, text: str) -> bool:
        """Return whether a case is right with a text, and nothing is found in it that was not before."""
        told = self.replay(self._index[case.drawn.name], text)
        if told is None or told.lost:
            raise _EngineLostError
        if told.failure is not None:
            return False
        now = judge_case(self.trial, case.drawn, replace(told, gpu=case.evidence.gpu))
        if now.comparison is None or now.comparison.findings or is_wrong(now):
            return False
        self.left = self.left or any(_errors(now))
        return set(_errors(now)) <= set(_errors(case))


def _errors(case: JudgedCase) -> Iterator[str]:
    return (finding.code for finding in case.findings if finding.severity is Severity.ERROR)


def _told(asked: Finding, edit: Edit, search: _Search) -> Finding:
    """Return what is said of a line that can be mended."""
    holds = asked.code == STRIDES or (asked.code == FEW_BITS and edit.step == BITS)  # what it says is seen
    followed = PROOF in asked.details or (LOCATED in asked.details and edit.line == asked.line)
    seen = asked.details.get(SEEN, f"{have_wrong_values(search.wrong)}.")
    seen = asked.message if holds or followed else seen
    every = len(search.cases)
    cases = f"all {every} cases" if search.tried == every else f"the {search.tried} cases (of {every}) that were tried"
    text = f"{seen} Line {edit.line}: {edit.says}. That one change makes {cases} right."
    return replace(
        asked,
        code=asked.code if holds else UNKNOWN,
        message=text,
        line=edit.line,
        next_step=asked.next_step if _knows_better(asked, edit) else edit.step,
        details={**asked.details, PROOF: MENDED, "cases": search.explained()},
    )


def _knows_better(asked: Finding, edit: Edit) -> bool:
    """Return whether what is asked to be done at a line says more than the kind of an edit does."""
    traced = LOCATED in asked.details and "cause" in asked.details[LOCATED]
    return edit.line == asked.line and (traced or asked.code == FEW_BITS)
