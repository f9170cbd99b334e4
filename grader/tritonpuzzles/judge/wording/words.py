"""Turn what the engine has seen into findings: a sentence with numbers, the learner's line, a next step."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from tritonpuzzles.judge.wording.accesses import access_finding
from tritonpuzzles.judge.wording.calls import call_finding, lost_finding, stop_finding
from tritonpuzzles.judge.wording.launches import Known
from tritonpuzzles.judge.wording.unwritten import gap_finding, uncovered_finding
from tritonpuzzles.results.check import Finding
from tritonpuzzles.wire.facts import BadAccess, CallFact, Fact, Gap, LostContext, Said, SomeRan, Stopped


def worded(facts: Iterable[Fact], known: Known) -> list[Finding]:
    """Return the findings of facts, in their order; some turn out to be none."""
    found = (_worded(fact, known) for fact in facts)
    return [finding for finding in found if finding is not None]


def _worded(fact: Fact, known: Known) -> Finding | None:
    try:
        return _finding(fact, known)
    except RecursionError:  # of a text that is nested too deeply
        return _finding(fact, known.without_texts)


def _finding(fact: Fact, known: Known) -> Finding | None:
    match fact:
        case BadAccess():
            return access_finding(fact, known)
        case Gap():
            return gap_finding(fact, known)
        case SomeRan():
            return uncovered_finding(fact, known)
        case CallFact():
            return call_finding(fact, known)
        case LostContext():
            return lost_finding(fact, known)
        case Stopped():
            return stop_finding(fact)
        case Said():
            return Finding(**asdict(fact))
