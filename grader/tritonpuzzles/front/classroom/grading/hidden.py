"""What is said of cases that an instructor hides: to students their names alone, to the instructor what was found."""

from __future__ import annotations

from dataclasses import replace

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.results.check import Finding, PuzzleResult
from tritonpuzzles.results.codes import Severity

HIDDEN = "hidden-case"  # code of the notes for the instructor


def for_students(result: PuzzleResult, puzzle: Puzzle) -> PuzzleResult:
    """Return a result without a number, a line or a size of a hidden case.

    What a case is too much of, a file chooses itself: traffic counted in a hidden case would tell how large that is.
    """
    findings: list[Finding] = []
    for finding in result.findings:
        case = _hidden_in(finding, puzzle)
        known = finding if case is None else _named(finding, case, puzzle)
        if (case is None or finding.severity is Severity.ERROR) and known not in findings:
            findings.append(known)
    counted = any(case.hidden and case.name == result.traffic_case for case in puzzle.cases)
    return replace(result, findings=tuple(findings), traffic=() if counted else result.traffic)


def for_instructor(result: PuzzleResult, puzzle: Puzzle) -> tuple[tuple[str, str], ...]:
    """Return what was found in hidden cases, as notes that no student reads."""
    errors = [(_hidden_in(finding, puzzle), finding.message) for finding in result.errors]
    return tuple((HIDDEN, f'Hidden case "{case}": {message}') for case, message in errors if case is not None)


def _hidden_in(finding: Finding, puzzle: Puzzle) -> str | None:
    """Return the hidden case that a finding is of, or names."""
    names = (case.name for case in puzzle.cases if case.hidden)
    return next((name for name in names if finding.case == name or f'"{name}"' in finding.message), None)


def _named(finding: Finding, case: str, puzzle: Puzzle) -> Finding:
    step = f"Look for sizes, layouts and numbers that no case of tritonpuzzles check {puzzle.number} has."
    return Finding(finding.code, f'The hidden case "{case}" does not pass.', case=case, next_step=step)
