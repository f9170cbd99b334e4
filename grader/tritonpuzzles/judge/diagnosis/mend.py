"""Prove where a kernel is wrong: find one small change of a line that makes every case right.

The recorded program of a case runs once more with a changed text or a changed launch. It runs in the engine, under the
same restrictions, as often as the time allows. A change that fixes every case proves where the mistake is and of what
kind. The report does not show the change.
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
from tritonpuzzles.judge.diagnosis.walking import LOWEST
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
ELSEWHERE, OF_PLACES, TRACED = 0.5, 0.2, 0.7  # added to the cost of changes of other lines than the reported one
RIGHT_THERE = 0.5  # added to the cost of changes of lines that a variable which is right to the end depends on
BESIDE = 0.15  # subtracted from `TRACED`, in full for the lines next to the one in which a variable goes wrong
SUSPECTED = 0.4  # subtracted from the cost of changes of a line that a finding names in place of the access
APART = 0.3  # added to the cost of second changes outside of the first one's loop


class Asked(enum.Enum):
    """What is not known of the finding that is reported first, with the number of changes that are tried to find it."""

    CAUSE = 170  # only values led to this cause, and other mistakes could give them too
    REST = 160  # a named mistake explains some values only: is it another one, or is there a second one?
    ORIGIN = 150  # the finding says where memory goes wrong, not why
    NUMBER = 40  # the mistake is named, or a launch is known to be wrong: which of its numbers?


OF_VALUES = (Asked.CAUSE, Asked.REST)
Kinds = Mapping[str, Mapping[str, NameKind]]
SURE = 0.2  # cost up to which changes of other lines are tried, too: their texts alone show that something is missing
OWN = 10  # changes of the line of a named mistake: they only confirm what is known
MOST_PROGRAMS = 6  # cases whose launches are read


def wanted(findings: Sequence[Finding]) -> Finding | None:
    """Return the finding that is reported first, or one reported beside it, if changes may show more of its cause."""
    opened = [cause.first for cause in account_of(findings).open]
    vague = (finding for finding in opened if _asked(finding) in OF_VALUES)
    return next(filter(_asked, opened[:1]), None) or next(vague, None)


def mended(trial: Trial, judged: Sequence[JudgedCase], findings: Sequence[Finding], replay: Replay) -> list[Finding]:
    """Return findings with the one line or the two lines that can be fixed, where the first finding says too little.

    The first error stays first. The trial's engine is not used for anything else afterwards.
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
        known = told.noting({PROOF: MENDED})
        better = [known if one.changes[0].line == told.line and not vague else _told(told, one, search, judged, source)]
    elif asked in OF_VALUES:
        two = search.two(changes, lambda first: _after(first, source, changes, kinds))
        better = _told_of_two(told, *two, search) if two is not None else []
    return [new for finding in findings for new in (better if finding is told and better else [finding])]


def _asked(finding: Finding) -> Asked | None:
    """Return what is not known of a finding, or `None`."""
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
    """Return the changes that may fix the cause of a finding, the likeliest first."""
    launches = launch_edits(programs, source)
    if asked is Asked.NUMBER:
        names = names_in(*(node for node in source.nodes if getattr(node, "lineno", None) == told.line))
        names |= {told.details.get(PASSED, "")} - {""}
        of_line: list[Change] = [
            one for one in launches if one.name in names or told.line in one.place or one.cost < FAR
        ]
        made = sorted(edits(source, kinds), key=lambda one: one.cost)
        of_line += [one for one in made if one.line == told.line][:OWN]
        of_line += [one for one in made if one.line != told.line and one.cost <= SURE]
        # a line that runs too early makes the reported one idle: moving it says more than a change of that one
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
    """Return the key by which changes are sorted: near the place where values first go wrong, then by cost.

    Needed lines come before others, where some are known. Lines that correct variables depend on (settled) come later.
    """
    away = 0 if asked.line is None else abs(change.line - asked.line)
    late = needed is not None and isinstance(change, Edit) and change.line not in needed
    more = TRACED - BESIDE / max(1, away) if LOCATED in asked.details else ELSEWHERE if needed is None else OF_PLACES
    if isinstance(change, LaunchEdit) and change.cost < FAR and asked.code != UNKNOWN:
        more = 0.0  # the launch may as well be the cause of a named finding
    elif isinstance(change, Edit) and change.order:
        more = 0.0  # a line that runs too early is seen at another line, which reads its result
    elif change.line in settled and away:
        more += RIGHT_THERE
    elif ACCESSED in asked.details and not away:
        more, away = -SUSPECTED, 1
    return late, change.cost + more * (away > 0), away


def _after(first: Change, source: Source, changes: Sequence[Change], kinds: Kinds) -> list[Change]:
    """Return the changes to try after a first one: those of other lines, the ones in its loop sooner.

    A start at the lowest number comes first: an infinite one is the commonest second mistake, seen in few cases.
    """
    launches = [change for change in changes if isinstance(change, LaunchEdit)]
    text = source if isinstance(first, LaunchEdit) else Source(first.of(source.text))
    around = text.around(first.line)

    def key(change: Change) -> tuple[bool, float]:
        starts = isinstance(change, Edit) and change.new == LOWEST
        return not starts, change.cost + APART * (around is None or not around.holds(change.line))

    both: list[Change] = [*edits(text, kinds), *launches]
    return sorted((change for change in both if change.line != first.line), key=key)


def _told(asked: Finding, mending: Mending, search: Search, judged: Sequence[JudgedCase], source: Source) -> Finding:
    """Return a finding with the change that makes every tried case right."""
    (change,) = mending.changes
    line = change.line
    in_kernel = any(asked.line in kernel.lines for kernel in source.kernels)
    of_launch = isinstance(change, LaunchEdit) and asked.code in MEMORY and line != source.host.kept_at
    if of_launch and asked.line is not None and not in_kernel:
        line = asked.line  # the host code computes the launch's argument on this line
    seen_itself = asked.code in (STRIDES, NAN_HIDDEN, *MEMORY) or (asked.code == FEW_BITS and change.step == BITS)
    holds = seen_itself or _asked(asked) is Asked.NUMBER
    followed = PROOF in asked.details or (LOCATED in asked.details and change.line == asked.line)
    seen = asked.message if holds or followed else asked.details.get(SEEN, f"{have_wrong_values(search.failing)}.")
    tried, every = mending.tried, search.cases
    mends = f"Changing only that makes {'it' if every == 1 else f'all {every} cases'} right."
    if tried != every:
        mends = f"Changing only that makes {tried} of {every} cases right; the rest was not tried."
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
    """Return two findings: the line that must change in the cases wrong through it alone, and the second line."""
    one, other = both.changes
    left = [case.drawn.name for case in search.wrong if case.drawn.name not in names]
    rest = "others are" if len(left) > 1 else "other one is"
    said = (
        (one, names, f"Changing only that fixes {len(names)} of the {len(search.wrong)} wrong cases tried."),
        (other, left, f"With line {one.line} changed as well, the {rest} right."),
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
    """Return whether the finding's own next step says more than that of the change."""
    traced = LOCATED in asked.details and "cause" in asked.details[LOCATED]
    explained = LAUNCHED in asked.details or (OPEN not in asked.details and asked.code == UNWRITTEN)
    return change.line == asked.line and (traced or asked.code == FEW_BITS or explained)
