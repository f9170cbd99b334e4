"""Which findings stand for themselves, and which were seen beside another: one mistake shows itself in many ways.

That one finding follows from another is seldom proven. What is known is where each was seen: a finding whose cases all
have a weightier one, or whose line has, may be the same mistake, and is told of in a line.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tritonpuzzles.results.check import CaseResult, Finding, PuzzleResult, Verdict
from tritonpuzzles.results.codes import COMPILE_ERROR, NOT_COMPILED, Kind, Severity, place

MOST_OPEN = 3
MOST = 0.8  # of the cases of a finding
LOCATED = "divergence"  # in details: where the right track is left
RIGHT = "right"  # in details: variables that hold what they should to the end
WRONG_VALUES, NO_LAUNCH, UNWRITTEN = "wrong-values", "no-launch", "unwritten-elements"
TOO_LARGE, TIMEOUT = "tile-too-large", "timeout"
CONSEQUENCES = frozenset(
    {TIMEOUT, NOT_COMPILED, "out-of-memory", "too-many-dram-reads"}
)  # of nearly every mistake, and seldom a second one
SHOWN, LAUNCHED = "shown", "launched"  # in details: read off a case's values, explained by the launch's numbers
PROGRAMS = "programs"  # in details: how many there are, where that is wrong
GRADIENT_OF = "gradient_of"  # in details: the argument whose gradient has a wrong form
OF_NEEDLESS = frozenset({"needless-gradient", "scratch-too-large"})  # what a gradient that nobody asks for makes
PROOF, MENDED, IS_PREDICTED = "proof", "mended", "predicted"  # in details: one change of its line makes every case
# right that it names; the reference gives the same values where something else is another
BY_PROGRAM = "by_program"  # in details: the line in which an address comes to depend on the program's number
OVER_LINES = (Kind.SAFETY, Kind.FORM)
INT32_OVERFLOW, INPUT_MODIFIED = "int32-overflow", "input-modified"
READ_OUTSIDE, UNDEFINED_LANE = "out-of-bounds-load", "undefined-lane"
ADDRESSES = frozenset({INT32_OVERFLOW, READ_OUTSIDE, "out-of-bounds-store", "out-of-bounds-atomic"})
OF_SHAPES = ADDRESSES | {UNWRITTEN, "wrong-shape", "race-write-write", "written-twice"}


class Weight(enum.IntEnum):
    """What is likelier to be the cause of the rest comes first."""

    TILE = enum.auto()  # too large for the GPU, in most cases
    COMPILER = enum.auto()
    FILE = enum.auto()  # it cannot be run, or its host function is not what is asked for
    PROVEN = enum.auto()
    ADDRESS = enum.auto()
    NAMED = enum.auto()
    LOCATED = enum.auto()  # wrong values, of which the line is known
    ADDRESS_OF_FEW = enum.auto()  # cases, of those with a named mistake
    SAFETY = enum.auto()
    COST = enum.auto()
    OTHER = enum.auto()
    COST_OF_FEW = enum.auto()  # cases, of those with wrong values; as is a launch that a few cases lack
    CONSEQUENCE = enum.auto()


@dataclass(frozen=True)
class Group:
    """Findings of one code at one line; the first speaks for all.

    Attributes:
        cases: that they name; none where they are about the file.
        seen: all cases in which they were seen, where they name the clearest one only.
        lines: of the same file, at which the same was seen too.
    """

    first: Finding
    cases: tuple[str, ...] = ()
    seen: frozenset[str] = frozenset()
    lines: tuple[int, ...] = ()

    @property
    def is_error(self) -> bool:
        """Whether it keeps a check from passing."""
        return self.first.severity is Severity.ERROR


@dataclass(frozen=True)
class Account:
    """What was found, the causes first.

    Attributes:
        open: what has a cause of its own, as far as can be told.
        beside: errors that were seen only where one of those was.
        notes: warnings and notes.
    """

    open: tuple[Group, ...] = ()
    beside: tuple[Group, ...] = ()
    notes: tuple[Group, ...] = ()


def account_of(findings: Sequence[Finding]) -> Account:
    """Return findings with those first, and open, that explain most."""
    groups = _over_lines(grouped(findings))
    errors = [group for group in groups if group.is_error]
    opened: list[Group] = []
    beside: list[Group] = []
    for group in sorted(errors, key=lambda group: (_weight(group, errors), -len(group.seen))):
        is_beside = _is_beside(group, opened) or len(opened) == MOST_OPEN
        (beside if is_beside else opened).append(group)
    return Account(tuple(opened), tuple(beside), tuple(group for group in groups if not group.is_error))


def _is_beside(group: Group, opened: Sequence[Group]) -> bool:
    """Return whether others were seen wherever a group was: in each of its cases, or at its line."""
    first, elsewhere = group.first, _all_seen(opened)
    lines = {(other.first.file, other.first.line) for other in opened}
    compiles = all(other.first.code != COMPILE_ERROR for other in opened)
    if not compiles and (first.code == "kernel-error" or first.kind in (Kind.COST, Kind.LIMIT)):
        return True
    if _is_of_shown(group, opened) or _is_of_garbage(group, opened):
        return True
    if first.code in OF_NEEDLESS and any(GRADIENT_OF in other.first.details for other in opened):
        return True  # one is made where another is asked for
    if first.code in CONSEQUENCES and opened:  # too much is done: what was found beside says of what
        return True
    if bool(group.seen) and group.seen <= elsewhere:
        return True
    return first.line is not None and (first.file, first.line) in lines and not first.details.get(LAUNCHED)


def grouped(findings: Sequence[Finding]) -> list[Group]:
    """Return findings by code and line, most important first: errors before notes, causes before costs."""
    groups: dict[tuple[object, ...], Group] = {}
    for finding in findings:
        key = finding.severity, finding.code, finding.file, finding.line
        one = Group(finding, (finding.case,) if finding.case else (), _seen(finding))
        groups[key] = _joined(groups[key], one) if key in groups else one
    return sorted(groups.values(), key=_rank)


def _over_lines(groups: Sequence[Group]) -> list[Group]:
    """Return what is unsafe, or of a wrong form, in several lines in the same way once, with the lines."""
    found: dict[tuple[object, ...], Group] = {}
    for group in groups:
        first = group.first
        key = first.severity, first.code, first.file, None if first.kind in OVER_LINES else first.line
        found[key] = _joined(found[key], group) if key in found else group
    return list(found.values())


def _joined(group: Group, other: Group) -> Group:
    line = other.first.line
    elsewhere = line is not None and line != group.first.line and other.first.code != UNWRITTEN  # one gap, two clues
    lines = (line,) if elsewhere else ()
    return replace(
        group,
        cases=tuple(dict.fromkeys((*group.cases, *other.cases))),
        seen=group.seen | other.seen,
        lines=tuple(dict.fromkeys((*group.lines, *lines))),
    )


def _seen(finding: Finding) -> frozenset[str]:
    told = finding.details.get("cases")
    names = told if isinstance(told, list) else []
    return frozenset(map(str, [*names, *([finding.case] if finding.case else [])]))


def _rank(group: Group) -> tuple[int, int]:
    return list(Severity).index(group.first.severity), place(group.first.code)


def _weight(group: Group, errors: Sequence[Group]) -> Weight:
    """Return how likely a group is the cause of the rest."""
    first = group.first
    if first.code == TOO_LARGE and _explains(group, errors):
        return Weight.TILE
    if first.code == COMPILE_ERROR:
        return Weight.COMPILER
    if first.details.get(PROOF) == MENDED:
        return Weight.PROVEN
    if first.code in CONSEQUENCES or _is_of_shown(group, errors) or _is_of_garbage(group, errors):
        return Weight.CONSEQUENCE
    if first.code == NO_LAUNCH and len(group.seen) < max(len(other.seen) for other in errors):
        return Weight.COST_OF_FEW  # it does launch one elsewhere
    if first.kind in (Kind.PROCESS, Kind.FORM):
        return Weight.FILE
    if LAUNCHED in first.details and PROGRAMS in first.details:
        return Weight.ADDRESS  # of a grid that is wrong
    if first.details.get(LAUNCHED) and any(other.first.details.get(SHOWN) for other in errors):
        return Weight.ADDRESS  # a stride that is not passed makes other products of the same matrices
    if first.code in (*ADDRESSES, INPUT_MODIFIED):
        return Weight.ADDRESS if _explains_values(group, errors) else Weight.ADDRESS_OF_FEW
    if first.code == UNDEFINED_LANE and _explains_names(group, errors):
        return Weight.ADDRESS
    if _is_named(group):
        return Weight.NAMED
    if _follows_a_quantity(group):
        return Weight.LOCATED
    if first.kind is Kind.SAFETY or (first.code == WRONG_VALUES and LOCATED in first.details):
        return Weight.SAFETY
    if first.kind in (Kind.COST, Kind.LIMIT):  # what is wrong in more cases is no consequence of a cost
        wrong = max((len(other.seen) for other in errors if other.first.code == WRONG_VALUES), default=0)
        return Weight.COST if len(group.seen) >= wrong else Weight.COST_OF_FEW
    return Weight.OTHER


def _is_of_shown(group: Group, others: Iterable[Group]) -> bool:
    """Return whether a shape, or what lies outside of it or is left unwritten, comes of matrices in a wrong place.

    Another finding has seen them there, in a case in which all shapes are alike.
    """
    follows = group.first.code in OF_SHAPES and not group.first.details.get(LAUNCHED)
    return follows and any(other.first.details.get(SHOWN) for other in others)


def _is_of_garbage(group: Group, others: Iterable[Group]) -> bool:
    """Return whether a variable of which nothing is known is wrong where loads leave a tensor in most such cases."""
    found = group.first.details.get(LOCATED)
    unknown = group.first.code == WRONG_VALUES and isinstance(found, dict) and found.get("what") == "unknown"
    loads = [other for other in others if other.first.code == READ_OUTSIDE]
    return unknown and any(len(other.seen & group.seen) > MOST * len(group.seen) for other in loads)


def _explains_names(undefined: Group, errors: Sequence[Group]) -> bool:
    """Return whether what lanes hold that nothing defines may look like the mistakes that have a name elsewhere."""
    named = list(filter(_is_named, errors))
    lines = {(group.first.file, group.first.line) for group in named}
    return _all_seen(named) <= undefined.seen and (undefined.first.file, undefined.first.line) not in lines


def _explains_values(address: Group, errors: Sequence[Group]) -> bool:
    """Return whether an address that goes astray may be the cause of wrong values.

    It is not of a named mistake that was seen elsewhere, nor of what a variable got wrong in more cases.
    """
    traced = _all_seen(filter(_follows_a_quantity, errors))
    return len(traced) <= len(address.seen) and _all_seen(filter(_is_named, errors)) <= address.seen


def _explains(tiles: Group, errors: Sequence[Group]) -> bool:
    """Return whether tiles that are too large may be the cause of all.

    What does not fit together may well broadcast to much; and tiles of a few cases explain no others.
    """
    torn = any(_tears(other.first) for other in errors)
    return not torn and len(tiles.seen) >= len(_all_seen(errors) - tiles.seen)


def _all_seen(groups: Iterable[Group]) -> frozenset[str]:
    """Return the cases in which any of some groups was seen."""
    return frozenset[str]().union(*(group.seen for group in groups))


def _tears(finding: Finding) -> bool:
    """Return whether the compiler rejects shapes that do not fit each other."""
    said = str(finding.details.get("triton", ""))
    return finding.code == COMPILE_ERROR and ("incompatible dimensions" in said or "rank mismatch" in said)


def _follows_a_quantity(group: Group) -> bool:
    """Return whether wrong values are traced to a variable, of which it is known what it should hold."""
    found = group.first.details.get(LOCATED)
    return group.first.code == WRONG_VALUES and isinstance(found, dict) and found.get("what") == "variable"


def _is_named(group: Group) -> bool:
    return group.first.kind is Kind.VALUE and group.first.code != WRONG_VALUES


def wrong_values(result: PuzzleResult) -> list[CaseResult]:
    """Return the cases whose values are wrong, each name once: one that ran on CPU and GPU shows one mistake.

    Those come first that a finding names, the weightiest finding's before others: they show the mistake best.
    """
    found: dict[str, CaseResult] = {}
    for case in result.cases:
        if case.mismatch is not None and case.verdict is not Verdict.PASS:
            found.setdefault(case.name, case)
    named = [case for group in account_of(result.findings).open for case in group.cases]
    return sorted(found.values(), key=lambda case: named.index(case.name) if case.name in named else len(named))


def named_case(result: PuzzleResult) -> str | None:
    """Return the case that a report names before others: the clearest with wrong values, or of the first finding."""
    wrong = wrong_values(result)
    if wrong:
        return wrong[0].name
    first = next(iter(account_of(result.findings).open), None)
    return first.cases[0] if first is not None and len(first.cases) == 1 else None


def faulty_cases(result: PuzzleResult) -> tuple[str, ...]:
    """Return the cases in which the weightiest finding was seen; none where it is about the file."""
    first = next(iter(account_of(result.findings).open), None)
    return tuple(sorted(first.seen)) if first is not None else ()
