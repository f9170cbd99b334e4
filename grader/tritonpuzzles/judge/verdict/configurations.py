"""An autotuner's other configurations: which of them are wrong, where the one that counts is right.

A GPU chooses by the clock, and another GPU chooses another one: each must be right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tritonpuzzles.judge.evidence.cases import Evidence
from tritonpuzzles.judge.verdict.diagnosis import diagnose
from tritonpuzzles.judge.verdict.host import at_the_grid
from tritonpuzzles.judge.verdict.judged import JudgedCase
from tritonpuzzles.judge.verdict.one_case import judge_case
from tritonpuzzles.judge.verdict.patterns import UNKNOWN
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.codes import Kind, Severity, code_named


def configuration_findings(trial: Trial, evidence: Evidence) -> list[Finding]:
    """Return the first error of each wrong configuration, and how many were tried; nothing where there is no choice."""
    numbers = sorted({number for _, number in evidence.others})
    if not numbers:
        return []
    found = [_wrong(trial, evidence, number) for number in numbers]
    return [*filter(None, found), _tried(trial, evidence, len(numbers) + 1)]


def _wrong(trial: Trial, evidence: Evidence, number: int) -> Finding | None:
    told = {index: other for (index, tried), other in evidence.others.items() if tried == number}
    judged = [judge_case(trial, trial.cases[index], other) for index, other in sorted(told.items())]
    first = _first_error(trial, judged)
    if first is None:
        return None
    configurations = evidence.cases[min(told)].configurations
    which, source = f"With the configuration {configurations[number] or number}: ", trial.file.source
    lines = source.host.configurations
    if code_named(first.code).kind in (Kind.COST, Kind.LIMIT) and len(lines) == len(configurations):
        first = replace(first, line=lines[number])
    return replace(at_the_grid(first, source), message=which + first.message)


def _first_error(trial: Trial, judged: Sequence[JudgedCase]) -> Finding | None:
    """Return what is said first of some cases: the named mistake, what was found in them, or the pattern."""
    errors = [found for case in judged for found in case.findings if found.severity is Severity.ERROR]
    broken = any(case.is_broken for case in judged)
    told = [] if broken else diagnose(trial.puzzle, judged, trial.file)
    named = [found for found in told if found.code != UNKNOWN]
    return next(iter([*named, *errors, *told]), None)


def _tried(trial: Trial, evidence: Evidence, count: int) -> Finding:
    cases = len({index for index, _ in evidence.others})
    text = f"{count} configurations of the autotuner were tried: one on every case, the others on {cases}."
    return Finding("configurations-tried", text, file=str(trial.file))
