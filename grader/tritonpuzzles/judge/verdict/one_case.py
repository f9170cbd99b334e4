"""One case, judged: its outputs compared, its limits looked at, what was found in it gathered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.evidence.cases import CaseEvidence
from tritonpuzzles.judge.resolve import tolerances_of
from tritonpuzzles.judge.verdict.compare import compare
from tritonpuzzles.judge.verdict.judged import JudgedCase
from tritonpuzzles.judge.verdict.limits import limit_findings
from tritonpuzzles.judge.verdict.patterns import FAR_ROWS_STEP, INT32_OVERFLOW, far_rows_text
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.check import Finding

JudgeOne = Callable[[Trial, DrawnCase, CaseEvidence], JudgedCase]


def judge_case(trial: Trial, drawn: DrawnCase, evidence: CaseEvidence) -> JudgedCase:
    """Compare one case and collect what was found in it."""
    if evidence.failure is not None:
        return JudgedCase(drawn, evidence, None, [far_access(replace(evidence.failure, case=drawn.name), drawn)])
    tolerances = () if drawn.phantom else tolerances_of(trial.puzzle, drawn)
    comparison = compare(drawn, evidence.outputs, tolerances, trial.device, trial.puzzle.call)
    findings = [replace(finding, case=drawn.name) for finding in evidence.findings]
    findings += comparison.findings
    if not (comparison.findings or drawn.phantom):  # else no multiple of a size says anything
        findings += limit_findings(trial.puzzle.limits, drawn, evidence)
    return JudgedCase(drawn, evidence, comparison, findings, tolerances)


def far_access(failure: Finding, drawn: DrawnCase) -> Finding:
    """Say of an illegal access that nothing but rows far apart brought about what it comes from."""
    if failure.code != "illegal-memory-access" or drawn.case.layout != "far_apart":
        return failure
    return replace(failure, code=INT32_OVERFLOW, message=far_rows_text(drawn), next_step=FAR_ROWS_STEP)
