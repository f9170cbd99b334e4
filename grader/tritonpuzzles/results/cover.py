"""Which findings explain the others, and which were only seen beside them: one mistake can cause many findings.

A finding explains the cases that it was seen in. The finding that explains most is reported first, then the one that
explains most of the rest. A finding that has no case of its own, or is at the same line, is reported in one line.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from tritonpuzzles.results.check import CaseResult, Finding, PuzzleResult, Verdict
from tritonpuzzles.results.codes import COMPILE_ERROR, NOT_COMPILED, Kind, Severity, place

MOST_OPEN = 3
NEARLY = 0.5  # a finding that explains more than this share of the maximum is as good
LOCATED = "divergence"  # in details: where the values leave the right track
RIGHT, SETTLED = "right", "settled"  # in details: variables that are right to the end, and their lines
WRONG_VALUES, UNWRITTEN = "wrong-values", "unwritten-elements"
NO_WORK = ("no-launch", "wrong-memory")  # no kernel has written what a call returns
UNCERTAIN = (*NO_WORK, "needless-programs")  # another mistake may cause it
READ_OUTSIDE = "out-of-bounds-load"
TOO_LARGE, TIMEOUT = "tile-too-large", "timeout"
LIMITS = ("exceeds triton maximum tensor numel", "must fit in int32")  # Triton's words where a tile is too large
CONSEQUENCES = frozenset(
    {TIMEOUT, NOT_COMPILED, "out-of-memory", "too-many-dram-reads", "large-tensor-unreached"}
)  # of nearly every mistake, and seldom a second one
SHOWN, LAUNCHED = "shown", "launched"  # in details: read from a case's values; explained by the launch's arguments
EMULATED = "emulated"  # in details: an emulation gives these values, and they show nothing more specific
PROGRAMS = "programs"  # in details: the number of programs, if that is wrong
PASSED = "passed"  # in details: the parameter that the launch passes wrongly
ROUNDED = "rounded"  # in details: the value read was rounded when it was stored
GRADIENT_OF = "gradient_of"  # in details: the argument whose gradient has a wrong form
GRADIENTS = "gradients"  # in details: an exception because backward returns too many or too few of them
OF_NEEDLESS = frozenset({"needless-gradient", "scratch-too-large"})  # caused by a gradient that is not requested
PROOF, MENDED, IS_PREDICTED = "proof", "mended", "predicted"  # in details: MENDED, one change of its line makes right
# every case that it names; IS_PREDICTED, the reference gives the same values with something else changed
FIX = "fix"  # in details: the sentences of the message that name the change which makes it right
QUOTED = "quoted"  # in details: the text of the line, if it is in another file than the one under test
SIZES = "sizes"  # in details: constants of the launch that are to blame, with their values
IS_EMPTY = "is_empty"  # in details: an exception of a call that has nothing to compute
TILE = "tile"  # in details: the constant that is a tile's size, where the tile ends before its row does, and its launch
OPEN = "open"  # in details: the reason why nothing writes these elements is unknown
ACCESSED = "accessed"  # in details: the line of the load or store, where the finding names another
BY_PROGRAM = "by_program"  # in details: the line where an address begins to depend on the program's number
OVER_LINES, OF_WORK = (Kind.SAFETY, Kind.FORM), (Kind.COST, Kind.LIMIT)
INT32_OVERFLOW = "int32-overflow"
ADDRESSES = frozenset({INT32_OVERFLOW, READ_OUTSIDE, "out-of-bounds-store", "out-of-bounds-atomic"})
UNDEFINED = "undefined-lane"
ASTRAY = ADDRESSES | {"input-modified", UNDEFINED}  # memory is overwritten, or read, wrongly
OF_SHAPES = ADDRESSES | {UNWRITTEN, "wrong-shape", "race-write-write", "written-twice", *NO_WORK}


OF_THE_HOST = frozenset({"operand-copied"})  # costs that no mistake in a kernel leads to
Fact = tuple[str, Kind | str]  # of which case, and what kind of thing is found in it, or its code


class Proof(enum.IntEnum):
    """How certainly a finding is a cause; the most certain come first."""

    COMPILER = enum.auto()
    CERTAIN = enum.auto()  # one change fixes it, or the file cannot be run, or returns the wrong form
    SEEN = enum.auto()


@dataclass(frozen=True)
class Group:
    """Findings of one code at one line; the first represents all."""

    first: Finding
    cases: tuple[str, ...] = ()  # that they name; none where they are about the file
    seen: frozenset[str] = frozenset()  # all cases in which they were seen, where they name the clearest one only
    lines: tuple[int, ...] = ()  # other lines of the same file where the same was seen
    others: tuple[Finding, ...] = ()  # the other findings of the group

    @property
    def is_error(self) -> bool:
        """Whether it keeps a check from passing."""
        return self.first.severity is Severity.ERROR


@dataclass(frozen=True)
class Account:
    """What was found, the causes first."""

    open: tuple[Group, ...] = ()  # separate causes, as far as can be determined
    beside: tuple[Group, ...] = ()  # errors that were seen only together with one of those
    notes: tuple[Group, ...] = ()  # warnings and notes


def account_of(findings: Sequence[Finding]) -> Account:
    """Return the findings that explain most, three at most, and those that are explained by them.

    A greedy set cover (Chvátal 1979): each step takes the finding that explains the most cases still unexplained.
    """
    # safety and form findings that repeat in several lines are reported once, with all lines
    groups = _merged(grouped(findings), lambda first: None if first.kind in OVER_LINES else first.line)
    waiting = [group for group in groups if group.is_error]
    left = frozenset[Fact]().union(*(_facts(group) for group in waiting))
    opened: list[Group] = []
    beside: list[Group] = []
    while waiting:
        best = _likeliest(waiting, left)
        waiting.remove(best)
        own = bool(best.first.details.get(LAUNCHED))  # a separate cause, even if another finding is at its line
        known = any(_explains(one, best) or (_are_at_one_line(one.first, best.first) and not own) for one in opened)
        if known or len(opened) == MOST_OPEN or (opened and best.seen and not _facts(best) & left):
            beside.append(best)
        else:
            opened.append(best)
            left = frozenset(fact for fact in left if fact[0] not in best.seen or fact[1] not in _reach(best.first))
    return Account(tuple(opened), tuple(beside), tuple(group for group in groups if not group.is_error))


def in_order(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return findings in the order of a report: causes first, then those seen beside them, then the notes."""
    account = account_of(findings)
    groups = (*account.open, *account.beside, *account.notes)
    return (*(group.first for group in groups), *(finding for group in groups for finding in group.others))


def _facts(group: Group) -> frozenset[Fact]:
    first = group.first
    return frozenset((case, first.code if first.code in OF_THE_HOST else first.kind) for case in group.seen)


def _reach(cause: Finding) -> Collection[Kind | str]:
    """Return the kinds that a cause can lead to: too much work makes no values wrong, wrong values break no form."""
    if cause.kind in OF_WORK:
        return *OF_WORK, cause.code
    if cause.code == "wrong-dtype":
        return Kind.FORM, Kind.VALUE
    return set(Kind) - ({Kind.FORM} if cause.kind is Kind.VALUE else set())


def _likeliest(groups: Sequence[Group], left: frozenset[Fact]) -> Group:
    """Return, among the groups that no other explains and whose proof is strongest, the one that explains most."""
    causes = [group for group in groups if not any(_explains(other, group) for other in groups)]
    strongest = min(map(_proof, causes))
    causes = [group for group in causes if _proof(group) is strongest]
    most = max(len(_facts(group) & left) for group in causes)
    nearly = (group for group in causes if len(_facts(group) & left) > NEARLY * most or not most)
    return min(nearly, key=lambda group: (_kind(group), -len(group.seen)))


def _explains(one: Group, other: Group) -> bool:
    """Return whether the second group is a consequence of the first, wherever it was seen."""
    cause, found = one.first, other.first
    if found.code in CONSEQUENCES:  # too much is done: any other finding says what
        return cause.code not in CONSEQUENCES
    if cause.code == COMPILE_ERROR and not _is_of_size(cause):
        return found.code == "kernel-error" or found.kind in OF_WORK
    if cause.code == TOO_LARGE:
        return _is_of_size(found)
    if ROUNDED in cause.details and found.code == "low-precision":
        return True
    if GRADIENT_OF in cause.details:  # a gradient of another form is computed
        return found.code in OF_NEEDLESS
    if cause.code == "needless-gradient" and found.code == "scratch-too-large":  # the gradient lies there
        return bool(one.seen & other.seen)
    if cause.details.get(SHOWN) and found.code in OF_SHAPES:  # its matrices lie in a wrong place
        return not found.details.get(LAUNCHED)
    same_line = _are_at_one_line(cause, found)
    if found.code == UNDEFINED and same_line and _is_named(cause):  # the named mistake says more about the lanes
        return True
    if found.kind in OF_WORK and same_line and cause.kind is Kind.SAFETY:  # when it is fixed, it may cost less
        return True
    too_few = cause.code == UNWRITTEN and PROGRAMS in cause.details
    astray = (cause.code in ASTRAY or too_few) and found.kind is Kind.VALUE and found.details.get(PROOF) != MENDED
    all_seen = other.seen <= one.seen or (_is_place(found) and bool(one.seen & other.seen))
    return astray and not same_line and all_seen


def _are_at_one_line(one: Finding, other: Finding) -> bool:
    """Return whether two findings name the same line; one that names no file is about the submission's."""
    return one.line is not None and one.line == other.line and (one.file is None or other.file in (None, one.file))


def _proof(group: Group) -> Proof:
    first = group.first
    if first.code == COMPILE_ERROR:
        return Proof.COMPILER
    if first.details.get(PROOF) == MENDED or (first.kind in (Kind.PROCESS, Kind.FORM) and first.code not in UNCERTAIN):
        return Proof.CERTAIN
    return Proof.SEEN


def _kind(group: Group) -> int:
    """Return a rank for groups that explain equally much: named causes first, then memory, values, and costs."""
    first = group.first
    kinds = (
        first.code in (TOO_LARGE, *NO_WORK),
        LAUNCHED in first.details,
        _is_named(first),
        first.code in ASTRAY,
        first.code == WRONG_VALUES and _is_followed(first),
        first.kind is Kind.SAFETY or _is_place(first),
        first.kind in OF_WORK,
        True,
    )
    return kinds.index(True)


def _is_of_size(finding: Finding) -> bool:
    """Return whether Triton says that a tile is too large."""
    return any(words in str(finding.details.get("triton") or finding.message) for words in LIMITS)


def _is_followed(finding: Finding) -> bool:
    """Return whether a variable was followed until it strays."""
    located = finding.details.get(LOCATED)
    return isinstance(located, dict) and located.get("what") == "variable"


def _is_place(finding: Finding) -> bool:
    """Return whether wrong values have a place, and no variable that strays there."""
    return finding.code == WRONG_VALUES and LOCATED in finding.details and not _is_followed(finding)


def _is_named(finding: Finding) -> bool:
    return finding.kind is Kind.VALUE and finding.code != WRONG_VALUES


def grouped(findings: Sequence[Finding]) -> list[Group]:
    """Return findings by code and line, most important first: errors before notes, causes before costs."""
    groups = [Group(one, (one.case,) if one.case else (), _seen(one)) for one in findings]
    return sorted(_merged(groups, lambda first: first.line), key=_rank)


def _merged(groups: Sequence[Group], place: Callable[[Finding], int | None]) -> list[Group]:
    """Return groups of the same code and place merged into one."""
    found: dict[tuple[object, ...], Group] = {}
    for group in groups:
        first = group.first
        key = first.severity, first.code, first.file, place(first)
        found[key] = _joined(found[key], group) if key in found else group
    return list(found.values())


def _joined(group: Group, other: Group) -> Group:
    line, told = other.first.line, (None, group.first.line, group.first.details.get(ACCESSED))
    one = other.first.code == UNWRITTEN or group.first.details.get(PROOF) == MENDED  # one gap, two clues; one change
    lines = () if one or line in told else (line,)
    return replace(
        group,
        cases=tuple(dict.fromkeys((*group.cases, *other.cases))),
        seen=group.seen | other.seen,
        lines=tuple(dict.fromkeys((*group.lines, *lines))),
        others=(*group.others, other.first, *other.others),
    )


def _seen(finding: Finding) -> frozenset[str]:
    told = finding.details.get("cases")
    names = told if isinstance(told, list) else []
    return frozenset(map(str, [*names, *([finding.case] if finding.case else [])]))


def _rank(group: Group) -> tuple[int, int]:
    return list(Severity).index(group.first.severity), place(group.first.code)


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
