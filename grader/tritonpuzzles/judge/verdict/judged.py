"""One judged case: what was drawn, what the worker told, how it compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.evidence.cases import CaseEvidence
from tritonpuzzles.judge.tolerances import Tolerance
from tritonpuzzles.judge.verdict.compare import Comparison, case_result
from tritonpuzzles.results.check import CaseResult, Finding, Verdict
from tritonpuzzles.results.codes import CODES, Kind, Severity

READ_TOO_OFTEN = frozenset({"too-many-loads", "too-many-bytes"})

WRONG = (Kind.FORM, Kind.VALUE)  # of a case without outputs: it was refused, and did not break


@dataclass
class JudgedCase:
    """A case with its evidence, its comparison and what was found.

    Attributes:
        tolerances: one per output, where the outputs were compared.
    """

    drawn: DrawnCase
    evidence: CaseEvidence
    comparison: Comparison | None = None
    findings: list[Finding] = field(default_factory=list)
    tolerances: tuple[Tolerance, ...] = ()

    @property
    def is_broken(self) -> bool:
        """Whether it did not come to its end; a host function that may not do what it does is no more than wrong."""
        failure = self.evidence.failure
        return self.comparison is None and not (failure is not None and CODES[failure.code].kind in WRONG)

    def result(self, device: str) -> CaseResult:
        """Return the case's line in the report; an error found beside right values fails it too."""
        if self.comparison is None:
            return case_result(self.drawn, device, Verdict.ERROR if self.is_broken else Verdict.FAIL)
        found = replace(self.comparison.result, programs=sum(launch.programs for launch in self.evidence.launches))
        if found.verdict is Verdict.PASS and has_errors(self.findings):
            return replace(found, verdict=Verdict.FAIL)
        return found


def has_errors(findings: Sequence[Finding]) -> bool:
    """Return whether any finding keeps a check from passing."""
    return any(finding.severity is Severity.ERROR for finding in findings)


def is_explained(case: JudgedCase) -> bool:
    """Return whether something keeps a case from passing that may give wrong values: reading too often does not."""
    return has_errors([finding for finding in case.findings if finding.code not in READ_TOO_OFTEN])


def is_wrong(case: JudgedCase) -> bool:
    """Return whether a case's values are off; its form, traffic and safety are other matters."""
    return case.comparison is not None and case.comparison.result.mismatch is not None
