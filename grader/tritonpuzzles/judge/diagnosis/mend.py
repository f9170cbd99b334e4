"""Prove where a kernel is wrong: with one small change of a line every case is right.

The recorded program of a case is run once more with a changed text, or a changed launch, in the engine and within its
walls, as often as the time allows. What mends every case is a proof of the place, and of what kind of thing is wrong
there; the change is not told.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from tritonpuzzles.judge.diagnosis.arguments import LaunchEdit
from tritonpuzzles.judge.diagnosis.edits import BITS, edits
from tritonpuzzles.judge.diagnosis.kerneltext import Edit, NameKind
from tritonpuzzles.judge.diagnosis.launches import launch_edits, parameters
from tritonpuzzles.judge.diagnosis.launchplace import FAR
from tritonpuzzles.judge.diagnosis.search import Change, Mending, Replay, Search
from tritonpuzzles.judge.verdict.judged import (
    FEW_BITS,
    IN_PART,
    STRIDES,
    UNKNOWN,
    UNPROVEN,
    JudgedCase,
    have_wrong_values,
)
from tritonpuzzles.judge.verdict.patterns import NAN_HIDDEN, SEEN
from tritonpuzzles.judge.workers.lanes import CaseProgram
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.codes import Kind
from tritonpuzzles.results.cover import (
    ACCESSED,
    FIX,
    LAUNCHED,
    LOCATED,
    MENDED,
    OPEN,
    PASSED,
    PROOF,
    SETTLED,
    UNWRITTEN,
    account_of,
)
from tritonpuzzles.source import Source
from tritonpuzzles.source.functions import names_in
from tritonpuzzles.source.slices import slice_of

MEMORY = frozenset({"out-of-bounds-load", "out-of-bounds-store", UNWRITTEN, "written-twice", "race-write-write"})
ELSEWHERE, OF_PLACES, TRACED = 0.5, 0.2, 0.7  # added to the cost of changes of other lines than that told of
RIGHT_THERE = 0.5  # added to the cost of changes of lines that a variable depends on which is right to the end
BESIDE = 0.15  # less of that for the line beside the one in which a variable strays
APART = 0.3  # added to the cost of second changes that stand outside of the first one's loop


class Asked(enum.Enum):
    """What is not known of what is told first; with how many changes are tried for it."""

    CAUSE = 120  # values alone led to it, and would from other mistakes, too
    REST = 110  # a mistake has its name, and gives some of the values alone: is it another, or a second one?
    ORIGIN = 100  # it says where memory goes wrong
    NUMBER = 40  # a mistake has its name, or a launch is known to be wrong: which number of it?


OF_VALUES = (Asked.CAUSE, Asked.REST)
Kinds = Mapping[str, Mapping[str, NameKind]]
OWN = 10  # changes of the line in which a named mistake stands: they prove what is known
MOST_PROGRAMS = 6  # cases whose launches are looked at


def wanted(findings: Sequence[Finding]) -> Finding | None:
    """Return what is told first, or beside it, if something is not known of it that changes may tell."""
    opened = [cause.first for cause in account_of(findings).open]
    vague = (finding for finding in opened if _asked(finding) in OF_VALUES)
    return next(filter(_asked, opened[:1]), None) or next(vague, None)


def mended(trial: Trial, judged: Sequence[JudgedCase], findings: Sequence[Finding], replay: Replay) -> list[Finding]:
    """Return findings with the line that can be mended, or the two lines, where what is told first says little.

    The first error comes first among them; the trial's engine is asked for nothing else afterwards.
    """
    told = wanted(findings)
    asked = None if told is None else _asked(told)
    if told is None or asked is None:
        return list(findings)
    search = Search(trial, judged, replay, told.code if told.code in MEMORY else None, asked.value)
    if not search.wrong:
        return list(findings)
    source = Source(search.program(search.wrong[0].drawn.name).texts[trial.text_file])
    programs = [search.program(case.drawn.name) for case in (*search.wrong[:MOST_PROGRAMS], *search.right[:2])]
    kinds = parameters(programs)
    changes = _changes(told, asked, source, programs, kinds)
    better: list[Finding] = []
    if (one := search.one(changes)) is not None:
        vague = told.code in (UNKNOWN, FEW_BITS, *MEMORY)
        known = replace(told, details={**told.details, PROOF: MENDED})
        better = [known if one.changes[0].line == told.line and not vague else _told(told, one, search, judged, source)]
    elif asked in OF_VALUES:
        two = search.two(changes, lambda first: _after(first, source, changes, kinds))
        better = _told_of_two(told, *two, search) if two is not None else []
    return [new for finding in findings for new in (better if finding is told and better else [finding])]


def _asked(finding: Finding) -> Asked | None:
    """Return what is not known of a finding."""
    if finding.details.get(UNPROVEN) == IN_PART:
        return Asked.REST
    if finding.code in (UNKNOWN, FEW_BITS, STRIDES, NAN_HIDDEN) or UNPROVEN in finding.details:
        return Asked.CAUSE
    if finding.code in MEMORY:
        return Asked.NUMBER if finding.details.get(LAUNCHED) else Asked.ORIGIN
    named = finding.kind is Kind.VALUE and finding.line is not None and PROOF not in finding.details
    return Asked.NUMBER if named else None


def _changes(
    told: Finding, asked: Asked, source: Source, programs: Sequence[CaseProgram], kinds: Kinds
) -> list[Change]:
    """Return the changes that may mend what is told, the likeliest first."""
    launches = launch_edits(programs, source)
    if asked is Asked.NUMBER:
        names = names_in(*(node for node in source.nodes if getattr(node, "lineno", None) == told.line))
        names |= {told.details.get(PASSED, "")} - {""}
        of_line: list[Change] = [
            one for one in launches if one.name in names or told.line in one.place or one.cost < FAR
        ]
        made = sorted(edits(source, kinds), key=lambda one: one.cost)
        of_line += [one for one in made if one.line == told.line][:OWN]
        # a line that stands too early makes the one that is told of idle: that says more than any change of it
        early = [one for one in made if one.order]
        return [*early, *sorted(of_line, key=lambda change: _order(change, told, None, ()))]
    accessed = told.details.get(ACCESSED, told.line)
    needed = slice_of(source, accessed) if asked is Asked.ORIGIN and accessed is not None else None
    settled = frozenset().union(*(slice_of(source, line) for line in told.details.get(SETTLED, ())))
    within = [one for one in edits(source, kinds) if one.place or asked in OF_VALUES]
    return sorted([*within, *launches], key=lambda change: _order(change, told, needed, settled))


def _order(
    change: Change, asked: Finding, needed: Collection[int] | None, settled: Collection[int]
) -> tuple[bool, float, int]:
    """Return when a change is tried: sooner where the right track is left, and what learners do most often.

    Needed lines come before others, where some are known; on settled ones depends what is right to the end.
    """
    away = 0 if asked.line is None else abs(change.line - asked.line)
    late = needed is not None and isinstance(change, Edit) and change.line not in needed
    more = TRACED - BESIDE / max(1, away) if LOCATED in asked.details else ELSEWHERE if needed is None else OF_PLACES
    if isinstance(change, LaunchEdit) and change.cost < FAR and asked.code != UNKNOWN:
        more = 0.0  # what has its name may as well come from the launch
    elif isinstance(change, Edit) and change.order:
        more = 0.0  # a line that stands too early shows where another reads what it made
    elif change.line in settled and away:
        more += RIGHT_THERE
    return late, change.cost + more * (away > 0), away


def _after(first: Change, source: Source, changes: Sequence[Change], kinds: Kinds) -> list[Change]:
    """Return the changes that there are after a first one, those of other lines, sooner where they share its loop."""
    launches = [change for change in changes if isinstance(change, LaunchEdit)]
    text = source if isinstance(first, LaunchEdit) else Source(first.of(source.text))
    around = text.around(first.line)
    both: list[Change] = [*edits(text, kinds), *launches]
    others = (change for change in both if change.line != first.line)
    return sorted(others, key=lambda change: change.cost + APART * (around is None or not around.holds(change.line)))


def _told(asked: Finding, mending: Mending, search: Search, judged: Sequence[JudgedCase], source: Source) -> Finding:
    """Return what is said of a line that can be mended."""
    (change,) = mending.changes
    line = change.line
    in_kernel = any(asked.line in kernel.lines for kernel in source.kernels)
    if isinstance(change, LaunchEdit) and asked.line is not None and asked.code in MEMORY and not in_kernel:
        line = asked.line  # where the host code works out what the launch passes
    seen_itself = asked.code in (STRIDES, NAN_HIDDEN, *MEMORY) or (asked.code == FEW_BITS and change.step == BITS)
    holds = seen_itself or _asked(asked) is Asked.NUMBER
    followed = PROOF in asked.details or (LOCATED in asked.details and change.line == asked.line)
    seen = asked.message if holds or followed else asked.details.get(SEEN, f"{have_wrong_values(search.failing)}.")
    tried, every = mending.tried, search.cases
    mends = f"A change of that alone makes {'it' if every == 1 else f'all {every} cases'} right."
    if tried != every:
        mends = f"A change of that alone makes the {tried} cases right that were tried, of {every}."
    failing = search.explained(judged) if mending.clean else search.failing
    fix = f"Line {line}: {change.says}. {mends}"
    return replace(
        asked,
        code=asked.code if holds else UNKNOWN,
        message=f"{seen} {fix}",
        line=line,
        next_step=asked.next_step if _knows_better(asked, change) else change.step,
        details={**asked.details, PROOF: MENDED, FIX: fix, "cases": [case.drawn.name for case in failing]},
    )


def _told_of_two(asked: Finding, both: Mending, names: list[str], search: Search) -> list[Finding]:
    """Return what is said of two lines that must change: of the first where it alone is wrong, and of the second."""
    one, other = both.changes
    left = [case.drawn.name for case in search.wrong if case.drawn.name not in names]
    said = (
        (one, names, f"A change of that makes {len(names)} of the {len(search.wrong)} wrong cases right."),
        (other, left, f"With line {one.line} changed as well, the other {len(left)} are right."),
    )
    told = [(change, cases, f"Line {change.line}: {change.says}. {proof}") for change, cases, proof in said]
    return [
        replace(
            asked,
            code=UNKNOWN,
            message=f"{have_wrong_values(search.failing)}. {fix}",
            line=change.line,
            case=cases[0],
            next_step=change.step,
            details={PROOF: MENDED, FIX: fix, "cases": cases},
        )
        for change, cases, fix in told
    ]


def _knows_better(asked: Finding, change: Change) -> bool:
    """Return whether what is asked to be done at a line says more than the kind of a change does."""
    traced = LOCATED in asked.details and "cause" in asked.details[LOCATED]
    explained = LAUNCHED in asked.details or (OPEN not in asked.details and asked.code == UNWRITTEN)
    return change.line == asked.line and (traced or asked.code == FEW_BITS or explained)
