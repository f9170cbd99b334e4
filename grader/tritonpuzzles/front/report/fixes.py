"""Reports without what gives a solution away: for a program, or a person, that is to find it alone."""

from __future__ import annotations

from dataclasses import replace

from tritonpuzzles.front.report.values import AnyReport
from tritonpuzzles.results.check import Finding, PuzzleResult
from tritonpuzzles.results.cover import FIX


def without_fixes(report: AnyReport) -> AnyReport:
    """Leave out what to do about each finding, and the change that makes it right."""
    return replace(report, results=tuple(map(_without_fixes, report.results)))


def _without_fixes(result: PuzzleResult) -> PuzzleResult:
    predicted = result.predicted
    if predicted is not None and predicted.why is not None:
        predicted = replace(predicted, why=_without_fix(predicted.why))
    return replace(result, findings=tuple(map(_without_fix, result.findings)), predicted=predicted)


def _without_fix(finding: Finding) -> Finding:
    fix = finding.details.get(FIX, "")
    rest = {name: value for name, value in finding.details.items() if name != FIX}
    return replace(finding, message=finding.message.replace(fix, "").rstrip(), next_step=None, details=rest)
