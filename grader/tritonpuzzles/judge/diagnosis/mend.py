"""Prove where a kernel is wrong: with one small change of a line every case is right.

The recorded program of a case is run once more with a changed text, or a changed launch, in the engine and within its
walls, as often as the time allows. What mends every case is a proof of the place, and of what kind of thing is wrong
there; the change is not told.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from tritonpuzzles.judge.diagnosis.edits import BITS, Edit, edits
from tritonpuzzles.judge.diagnosis.kinds import NameKind
from tritonpuzzles.judge.diagnosis.launches import LaunchEdit, launch_edits, parameters
from tritonpuzzles.judge.diagnosis.search import Change, Mending, Replay, Search, errors
from tritonpuzzles.judge.diagnosis.suspects import read_in, slice_of
from tritonpuzzles.judge.verdict.diagnosis import UNPROVEN
from tritonpuzzles.judge.verdict.judged import JudgedCase, is_wrong
from tritonpuzzles.judge.verdict.patterns import FEW_BITS, SEEN, UNKNOWN, have_wrong_values
from tritonpuzzles.judge.verdict.strides import STRIDES
from tritonpuzzles.judge.workers.lanes import CaseProgram
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.causes import LAUNCHED, LOCATED, MENDED, PROOF, UNWRITTEN, account_of
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.codes import Kind, Severity

MEMORY = frozenset({"out-of-bounds-load", "out-of-bounds-store", UNWRITTEN, "written-twice", "race-write-write"})
# Seconds for all changes, and for the first: where memory goes wrong, or a mistake has a name, a line is told already.
OF_VALUES, OF_MEMORY, OF_NUMBERS = (1.5, 6.0), (1.0, 2.0), (0.4, 0.4)
ELSEWHERE, OF_PLACES, TRACED = 0.5, 0.2, 1.0  # added to the cost of changes of other lines than that told of
Kinds = Mapping[str, Mapping[str, NameKind]]
MOST_PROGRAMS = 6  # cases whose launches are looked at


def wanted(findings: Sequence[Finding]) -> Finding | None:
    """Return what is told first if its cause is not: values alone led to it, or it says where memory goes wrong.

    Or a mistake that has a name, at a line of a kernel: a number in that line may come from the launch.
    """
    opened = [cause.first for cause in account_of(findings).open]
    first = [finding for finding in findings if finding.severity is Severity.ERROR][:1]
    vague = next(filter(_is_vague, (*first, *opened)), None)
    effect = next((finding for finding in opened[:1] if _is_effect(finding) or _is_named(finding)), None)
    return effect or vague


def mended(trial: Trial, judged: Sequence[JudgedCase], findings: Sequence[Finding], replay: Replay) -> list[Finding]:
    """Return findings with the line that can be mended, or the two lines, where what is told first says little.

    Args:
        trial: what was tried; its engine is asked for nothing else afterwards.
        judged: its cases.
        findings: about it, the first error first.
        replay: runs a program of the file.
    """
    asked = wanted(findings)
    if asked is None:
        return list(findings)
    code, seconds = (
        (asked.code, OF_MEMORY) if _is_effect(asked) else (None, OF_NUMBERS if _is_named(asked) else OF_VALUES)
    )
    search = Search(trial, judged, replay, code, seconds)
    if not search.wrong:
        return list(findings)
    text = search.program(search.wrong[0].drawn.name).texts[trial.text_file]
    programs = [search.program(case.drawn.name) for case in (*search.wrong[:MOST_PROGRAMS], *search.right[:2])]
    kinds = parameters(programs)
    changes = _changes(asked, text, programs, kinds)
    told: list[Finding] = []
    if (one := search.one(changes)) is not None:
        if one.changes[0].line != asked.line or asked.code in (UNKNOWN, FEW_BITS, *MEMORY):
            told = [_told(asked, one, search, judged)]
    elif (
        _is_vague(asked) and (two := search.two(changes, lambda first: _after(first, text, changes, kinds))) is not None
    ):
        told = _told_of_two(asked, *two, search)
    return [new for finding in findings for new in (told if finding is asked and told else [finding])]


def _changes(asked: Finding, text: str, programs: Sequence[CaseProgram], kinds: Kinds) -> list[Change]:
    """Return the changes that may mend what is told, the likeliest first."""
    launches = launch_edits(programs, text)
    if _is_named(asked):
        names = read_in(text, asked.line or 0)
        return sorted((one for one in launches if one.name in names), key=lambda change: change.cost)
    of_memory = _is_effect(asked)
    needed = slice_of(text, asked.line) if of_memory and asked.line is not None else None
    within = [one for one in edits(text, kinds) if one.place or not of_memory]
    return sorted([*within, *launches], key=lambda change: _order(change, asked, needed))


def _is_vague(finding: Finding) -> bool:
    return (
        finding.code in (UNKNOWN, FEW_BITS, STRIDES) and PROOF not in finding.details
    ) or UNPROVEN in finding.details


def _is_effect(finding: Finding) -> bool:
    """Return whether a finding says where memory goes wrong, and no number of a launch explains it."""
    return finding.code in MEMORY and not finding.details.get(LAUNCHED)


def _is_named(finding: Finding) -> bool:
    """Return whether a mistake is told by its name, at a line of which no more is known."""
    named = finding.kind is Kind.VALUE and not _is_vague(finding)
    return named and finding.line is not None and PROOF not in finding.details


def _order(change: Change, asked: Finding, needed: Collection[int] | None) -> tuple[bool, float, int]:
    """Return when a change is tried: sooner where the right track is left, and what learners do most often.

    Args:
        change: one of a kernel, or of a launch.
        asked: what is told until now.
        needed: lines that come before others, where some are known.
    """
    away = 0 if asked.line is None else abs(change.line - asked.line)
    late = needed is not None and isinstance(change, Edit) and change.line not in needed
    more = TRACED if LOCATED in asked.details else ELSEWHERE if needed is None else OF_PLACES
    return late, change.cost + more * (away > 0), away


def _after(first: Change, text: str, changes: Sequence[Change], kinds: Kinds) -> list[Change]:
    """Return the changes that there are behind a first one, those of other lines."""
    launches = [change for change in changes if isinstance(change, LaunchEdit)]
    within = edits(text if isinstance(first, LaunchEdit) else first.of(text), kinds)
    both: list[Change] = [*within, *launches]
    return sorted((change for change in both if change.line != first.line), key=lambda change: change.cost)


def _told(asked: Finding, mending: Mending, search: Search, judged: Sequence[JudgedCase]) -> Finding:
    """Return what is said of a line that can be mended."""
    (change,) = mending.changes
    holds = (
        asked.code in (STRIDES, *MEMORY) or _is_named(asked) or (asked.code == FEW_BITS and change.step == BITS)
    )  # what it says is seen
    followed = PROOF in asked.details or (LOCATED in asked.details and change.line == asked.line)
    seen = asked.message if holds or followed else asked.details.get(SEEN, f"{have_wrong_values(search.wrong)}.")
    tried, every = mending.tried, len(search.wrong) + len(search.right)
    mends = f"all {every} cases" if tried == every else f"the {tried} cases (of {every}) that were tried"
    failing = [case for case in judged if is_wrong(case) or any(errors(case))] if mending.clean else search.wrong
    return replace(
        asked,
        code=asked.code if holds else UNKNOWN,
        message=f"{seen} Line {change.line}: {change.says}. That one change makes {mends} right.",
        line=change.line,
        next_step=asked.next_step if _knows_better(asked, change) else change.step,
        details={**asked.details, PROOF: MENDED, "cases": [case.drawn.name for case in failing]},
    )


def _told_of_two(asked: Finding, first: Mending, both: Mending, names: list[str], search: Search) -> list[Finding]:
    """Return what is said of two lines that must change: of the first where it alone is wrong, and of the second."""
    one, other = both.changes
    left = [case.drawn.name for case in search.wrong if case.drawn.name not in names]
    said = (
        (one, names, f"That change makes {len(names)} of the {len(search.wrong)} right."),
        (other, left, f"With line {one.line} changed, too, the other {len(left)} are right."),
    )
    return [
        replace(
            asked,
            code=UNKNOWN,
            message=f"{have_wrong_values(search.wrong)}. Line {change.line}: {change.says}. {proof}",
            line=change.line,
            case=cases[0],
            next_step=change.step,
            details={PROOF: MENDED, "cases": cases},
        )
        for change, cases, proof in said
    ]


def _knows_better(asked: Finding, change: Change) -> bool:
    """Return whether what is asked to be done at a line says more than the kind of a change does."""
    traced = LOCATED in asked.details and "cause" in asked.details[LOCATED]
    return change.line == asked.line and (traced or asked.code == FEW_BITS)
