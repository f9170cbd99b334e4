"""Is a file worth measuring: does it run, and is it right where it was run?"""

from __future__ import annotations

from tritonpuzzles.judge.evidence.cases import Evidence
from tritonpuzzles.judge.verdict.decide import is_unsolved, judge_cases, not_started
from tritonpuzzles.judge.verdict.judged import has_errors, is_wrong
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.codes import is_a_demand


def unsound(trial: Trial, evidence: Evidence) -> Finding | None:
    """Return the first thing that keeps a file from being measured; nothing for one that only asks for too much.

    What mistake is behind wrong values is left to a check, which has cases to tell one from another.
    """
    judged = judge_cases(trial, evidence)
    if evidence.failure is not None:
        return evidence.failure
    if is_unsolved(evidence, judged):
        return not_started(trial)
    found = [*evidence.compile_findings, *(finding for case in judged for finding in case.findings)]
    errors = [finding for finding in found if has_errors([finding]) and not is_a_demand(finding.code)]
    if errors:
        return errors[0]
    for case in filter(is_wrong, judged):
        text = f'The values are wrong in "{case.drawn.name}".'
        step = f"tritonpuzzles check {trial.puzzle.number}"
        return Finding("wrong-values", text, str(trial.file), case=case.drawn.name, next_step=step)
    return None
