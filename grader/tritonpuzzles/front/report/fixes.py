"""Reports without what gives a solution away: for a program, or a person, that is to find it alone."""

from __future__ import annotations

from dataclasses import replace

from tritonpuzzles.front.report.values import AnyReport
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.cover import FIX


def without_fixes(report: AnyReport) -> AnyReport:
    """Leave out what to do about each finding, and the change that makes it right."""
    results = (replace(one, findings=tuple(map(_without_fix, one.findings))) for one in report.results)
    return replace(report, results=tuple(results))


def _without_fix(finding: Finding) -> Finding:
    fix = finding.details.get(FIX, "")
    rest = {name: value for name, value in finding.details.items() if name != FIX}
    return replace(finding, message=finding.message.replace(fix, "").rstrip(), next_step=None, details=rest)
