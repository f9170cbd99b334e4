"""One case, judged: its outputs compared, its limits looked at, what was found in it gathered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tritonpuzzles.judge.drawn import DrawnCase
from tritonpuzzles.judge.evidence.cases import CaseEvidence, SomeRows
from tritonpuzzles.judge.evidence.outputs import Output
from tritonpuzzles.judge.resolve import of_case, tolerances_of
from tritonpuzzles.judge.tolerances import Tolerance
from tritonpuzzles.judge.truth import with_rows
from tritonpuzzles.judge.verdict.compare import Comparison, compare, compare_rows, form_comparison
from tritonpuzzles.judge.verdict.dram import dram_findings
from tritonpuzzles.judge.verdict.judged import JudgedCase
from tritonpuzzles.judge.verdict.limits import limit_findings
from tritonpuzzles.judge.verdict.orders import order_finding
from tritonpuzzles.judge.verdict.patterns import FAR_ROWS_STEP, far_rows_text
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.cover import INT32_OVERFLOW
from tritonpuzzles.wire.frames import ProtocolError

JudgeOne = Callable[[Trial, DrawnCase, CaseEvidence], JudgedCase]


def judge_case(trial: Trial, drawn: DrawnCase, evidence: CaseEvidence) -> JudgedCase:
    """Compare one case and collect what was found in it."""
    if evidence.failure is not None:
        return JudgedCase(drawn, evidence, None, [far_access(replace(evidence.failure, case=drawn.name), drawn)])
    known, comparison, tolerances = compared(trial, drawn, evidence.outputs, evidence.rows)
    findings = [replace(finding, case=drawn.name) for finding in evidence.findings]
    findings += comparison.findings
    if not (comparison.findings or drawn.phantom):  # else no multiple of a size says anything
        findings += limit_findings(trial.puzzle.limits, drawn, evidence)
    if not comparison.findings:
        findings += dram_findings(trial.puzzle.limits, drawn, evidence)
    if comparison.result.mismatch is None and (found := order_finding(trial, known, evidence.orders, tolerances)):
        findings.append(found)
    return JudgedCase(known, evidence, comparison, findings, tolerances)


def compared(
    trial: Trial, drawn: DrawnCase, outputs: Sequence[Output], rows: SomeRows | None
) -> tuple[DrawnCase, Comparison, tuple[Tolerance, ...]]:
    """Compare the outputs of a case, or some rows of them where whole ones are too large to be sent.

    Args:
        trial: of the case.
        drawn: the case.
        outputs: as the worker described them.
        rows: that were asked for.

    Returns:
        The case with the truth of what was compared, the comparison, and how far each output may be from the truth.

    Raises:
        ProtocolError: if the bytes do not fit what was said of them.
        RecordError: if a family, the reference or a tolerance does not fit the record at this size.
    """
    puzzle, device = trial.puzzle, trial.device
    if drawn.drawing is None:
        tolerances = () if drawn.phantom else tolerances_of(puzzle, drawn)
        return drawn, compare(drawn, outputs, tolerances, device, puzzle.call), tolerances
    if (form := form_comparison(drawn, outputs, device, puzzle.call)) is not None:
        return drawn, form, ()
    if rows is None or len(rows.pieces) != len(outputs):
        raise ProtocolError(f"rows of {len(rows.pieces) if rows else 0} outputs arrived, of {len(outputs)}")
    sampled, tolerances = with_rows(puzzle, drawn, rows.numbers, of_case(drawn.name))
    return sampled, compare_rows(sampled, outputs, rows.pieces, tolerances, device, puzzle.call), tolerances


def far_access(failure: Finding, drawn: DrawnCase) -> Finding:
    """Say of an illegal access that nothing but rows far apart brought about what it comes from."""
    if failure.code != "illegal-memory-access" or not drawn.far_apart:
        return failure
    return replace(failure, code=INT32_OVERFLOW, message=far_rows_text(drawn), next_step=FAR_ROWS_STEP)
