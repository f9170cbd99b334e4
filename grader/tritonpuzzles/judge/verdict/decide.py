"""Decide the verdict from the evidence: a pass needs a correct result and no error from every case."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tritonpuzzles.curriculum.tables import RecordError
from tritonpuzzles.judge.evidence.cases import Evidence, tampering
from tritonpuzzles.judge.verdict.alternatives import (
    configuration_findings,
    tf32_finding,
    uncompared_findings,
    with_exact_products,
)
from tritonpuzzles.judge.verdict.diagnosis import diagnose
from tritonpuzzles.judge.verdict.grids import exchanged_sizes, grid_occupancy, of_needless_programs
from tritonpuzzles.judge.verdict.host import at_the_argument, in_the_host_code, with_places
from tritonpuzzles.judge.verdict.judged import UNKNOWN, JudgedCase, has_errors
from tritonpuzzles.judge.verdict.kernels import (
    at_the_loop,
    computed_elsewhere,
    may_reorder,
    ready_made,
    versions_hidden,
    without_tiles,
)
from tritonpuzzles.judge.verdict.limits import without_needless
from tritonpuzzles.judge.verdict.one_case import JudgeOne, judge_case
from tritonpuzzles.judge.verdict.traffic import better_than_asked, most_dram_reads, with_limits
from tritonpuzzles.judge.verdict.unrun import never_run, unlaunched
from tritonpuzzles.judge.workers.trial import Trial
from tritonpuzzles.results.check import CaseResult, Finding, PuzzleResult, Verdict
from tritonpuzzles.results.codes import COMPILE_ERROR, NOT_COMPILED, Severity, is_a_demand
from tritonpuzzles.results.cover import ADDRESSES, NO_WORK, UNWRITTEN
from tritonpuzzles.results.words import plural
from tritonpuzzles.source.paths import Ran
from tritonpuzzles.wire.frames import ProtocolError

KERNEL_ERROR, TIMEOUT = "kernel-error", "timeout"
Name = Callable[[Trial, Sequence[JudgedCase]], list[Finding]]
NOTHING_WRITTEN = "Nothing was written: not started yet."


def judge(
    trial: Trial, evidence: Evidence, seed: int, judge_one: JudgeOne = judge_case, name: Name | None = None
) -> PuzzleResult:
    """Judge what a worker reported of one submission on one device.

    `judge_one` may have judged a case already, when it was reported. `name` explains wrong values; by default it is
    `name_mistakes`.
    """
    judged = judge_cases(trial, evidence, judge_one)
    if is_unsolved(evidence, judged):
        verdict, findings, judged = Verdict.UNSOLVED, [not_started(trial)], []
    else:
        kept_answers(judged)
        findings = collect(trial, evidence, judged, name or name_mistakes)
        if not has_errors(findings):
            findings += [*configuration_findings(trial, evidence), *uncompared_findings(trial, evidence)]
            findings += [
                *versions_hidden(trial.task, trial.file),
                *computed_elsewhere(trial.task, trial.file, Ran(evidence.passed).has),
                *unlaunched(trial, evidence),
            ]
        verdict = decide(trial, evidence, judged, findings)
    shown = largest_case(judged)
    traffic = with_limits(trial.task.limits, shown.drawn, shown.evidence) if shown else []
    if verdict is Verdict.PASS and shown is not None:
        findings += [*better_than_asked(shown.drawn, traffic), *ready_made(trial.task, trial.file)]
        findings += [*without_tiles(shown.evidence.launches, trial.file), *never_run(trial, evidence)]
    return PuzzleResult(
        puzzle=trial.task.number,
        slug=trial.task.slug,
        file=trial.file,
        verdict=verdict,
        device=trial.device,
        seed=seed,
        findings=tuple(findings),
        cases=telling([case.result(trial.device) for case in judged]),
        traffic=tuple(traffic),
        traffic_case=shown.drawn.name if shown else None,
        lines=tuple(shown.evidence.lines) if shown else (),
        compile=tuple(evidence.compiled),
        output=evidence.output,
        confinement=evidence.held,
        occupancy=grid_occupancy(trial.task.limits.at_once, judged),
        dram=most_dram_reads(trial.task.limits.dram_reads, judged),
    )


def telling(cases: Sequence[CaseResult]) -> tuple[CaseResult, ...]:
    """Return cases without the plain values that are equal in all of them."""
    differ = {name for case in cases for name in case.values if len({str(c.values.get(name)) for c in cases}) > 1}
    return tuple(
        replace(case, values={name: value for name, value in case.values.items() if name in differ}) for case in cases
    )


def judge_cases(trial: Trial, evidence: Evidence, judge_one: JudgeOne = judge_case) -> list[JudgedCase]:
    """Judge every reported case; if a report is inconsistent, that becomes the failure of the whole run.

    Raises RecordError if a tolerance of the pack fails.
    """
    try:
        judged = [judge_one(trial, trial.cases[index], found) for index, found in sorted(evidence.cases.items())]
    except RecordError:  # the author's fault, not that of the file
        raise
    except ProtocolError as error:  # bytes that do not fit their own description
        evidence.failure, judged = tampering(trial.file, str(error)), []
    lost = any(case.evidence.failure is not None for case in judged)  # some failures end a GPU process
    if evidence.failure is None and not lost and len(judged) + len(evidence.left_out) < len(trial.cases):
        evidence.failure = tampering(trial.file, f"{len(judged)} of {len(trial.cases)} cases were reported")
    return judged


def collect(trial: Trial, evidence: Evidence, judged: Sequence[JudgedCase], name: Name) -> list[Finding]:
    """Return all findings, causes first: what keeps a kernel from running, then its wrong values."""
    source, compiling = trial.file.source, evidence.compile_findings
    rejected = {(finding.file, finding.line) for finding in compiling if finding.code == COMPILE_ERROR}
    refused = any(finding.details.get("launch") == "refused" for finding in compiling)
    findings = [
        at_the_loop(finding, source)
        for case in judged
        for finding in case.findings
        if finding.code != KERNEL_ERROR  # the compiler's finding says the same, better
        or not (refused or (finding.file, finding.line) in rejected)
    ]
    findings = of_needless_programs(without_needless(findings), judged)
    findings = in_the_host_code(findings, trial.task, source)
    shown = [case for case in judged if not case.drawn.case.hidden]
    diagnosis = name(trial, shown if any(case.is_wrong for case in shown) else judged)
    # A kernel that the interpreter runs but the compiler rejects may give wrong values for that reason alone.
    gaps = any(finding.code == UNWRITTEN for finding in findings)
    wrong = [case for case in judged if case.is_wrong]
    if rejected or all(case.is_explained or (gaps and not case.evidence.stored) for case in wrong):
        diagnosis = [finding for finding in diagnosis if finding.code != UNKNOWN]
    compiling = [with_places(finding, source) for finding in compiling]
    exchanged = [at_the_argument(finding, source) for finding in exchanged_sizes(judged)]
    late = [finding for finding in compiling if finding.code == NOT_COMPILED or finding.severity is not Severity.ERROR]
    compiling = [finding for finding in compiling if finding not in late]
    known = [*compiling, *exchanged, *diagnosis, *findings, *late]
    known += [*may_reorder(trial.file), *not_run(trial, evidence), *filter(None, [evidence.note])]
    failure = [*filter(None, [evidence.failure])]
    if has_errors(known) and any(item.code == TIMEOUT for item in failure):  # the time-out has a cause
        return [*known, *failure]
    return [*failure, *known]


def not_run(trial: Trial, evidence: Evidence) -> list[Finding]:
    """Return a note on cases that were not run because the file is wrong and takes long."""
    names = [trial.cases[index].name for index in sorted(evidence.left_out) if not trial.cases[index].case.cached]
    were = "was" if len(names) == 1 else "were"
    text = f"{plural(len(names), 'case')} {were} not run: other cases are wrong, and these take long."
    return [Finding("cases-not-run", text, next_step=f'Run one of them alone: --case "{name}".') for name in names[:1]]


def name_mistakes(trial: Trial, judged: Sequence[JudgedCase]) -> list[Finding]:
    """Return what explains the wrong values: a mistake, products in TF32, or both, each in its cases."""
    exact = with_exact_products(trial, judged)
    tf32 = tf32_finding(trial, judged, exact)
    named = diagnose(trial.task, exact, trial.file)
    if tf32 is None and any(finding.code == UNKNOWN for finding in named):  # TF32 makes nothing clearer
        named = diagnose(trial.task, judged, trial.file)
    return [*named, *([tf32] if tf32 is not None else [])]


def kept_answers(judged: Sequence[JudgedCase]) -> None:
    """Report a cached answer where a call launches nothing and an earlier call with the same numbers did."""
    launched = {case.drawn.name for case in judged if not any(finding.code in NO_WORK for finding in case.findings)}
    step = "Compute every call from its own inputs."
    for case in judged:
        name, after = case.drawn.name, case.drawn.case.after
        if case.drawn.case.same_numbers and after in launched:
            text = f'"{name}" launches no kernel: the answer was kept from "{after}".'
            case.findings = [
                replace(one, code="cached-answer", message=text, next_step=step) if one.code in NO_WORK else one
                for one in case.findings
            ]


def decide(trial: Trial, evidence: Evidence, judged: Sequence[JudgedCase], findings: Sequence[Finding]) -> Verdict:
    """Return the verdict of a trial that is not unsolved."""
    broken = any(finding.code == COMPILE_ERROR for finding in findings)
    if evidence.failure is not None or broken or any(case.is_broken for case in judged):
        return Verdict.ERROR
    wrong = any(case.result(trial.device).verdict is not Verdict.PASS for case in judged)
    known = [finding for finding in findings if finding.code != NOT_COMPILED]
    if has_errors(known) or wrong or evidence.left_out:
        return Verdict.FAIL
    return Verdict.PASS if len(known) == len(findings) else Verdict.ERROR


def not_started(trial: Trial) -> Finding:
    """Return the finding for a stub."""
    step = f"Write the part of {trial.file.name} that is marked TODO."
    return Finding("nothing-written", NOTHING_WRITTEN, file=str(trial.file), next_step=step)


def is_unsolved(evidence: Evidence, judged: Sequence[JudgedCase]) -> bool:
    """Return whether kernels were launched and none of them loaded or stored anything, as in a stub."""
    if evidence.failure is not None or evidence.compile_findings or any(case.drawn.open for case in judged):
        return False
    comparisons = [case for case in judged if not (case.drawn.is_empty or case.drawn.phantom)]
    ran = all(case.comparison and case.comparison.outputs and case.evidence.launches for case in comparisons)
    reached = any(
        case.evidence.stored
        or any(row.loaded_bytes for row in case.evidence.traffic)
        or any(finding.code in ADDRESSES for finding in case.findings)  # even outside of its tensors
        for case in comparisons
    )
    return bool(comparisons) and ran and not reached


def largest_case(judged: Sequence[JudgedCase]) -> JudgedCase | None:
    """Return the case whose traffic the report shows: with most bytes; cases with limits, and over them, first."""

    def weight(case: JudgedCase) -> tuple[bool, bool, int]:
        over = any(finding.code.startswith("too-many-") for finding in case.findings)
        return case.drawn.limited, over, sum(row.loaded_bytes + row.stored_bytes for row in case.evidence.traffic)

    return max((case for case in judged if case.evidence.traffic), key=weight, default=None)


def unsound(trial: Trial, evidence: Evidence) -> Finding | None:
    """Return the first reason not to measure a file; `None` for a file that only exceeds its resource limits.

    Which mistake causes wrong values is left to a check, whose cases can distinguish mistakes.
    """
    judged = judge_cases(trial, evidence)
    if evidence.failure is not None:
        return evidence.failure
    if is_unsolved(evidence, judged):
        return not_started(trial)
    for finding in [*evidence.compile_findings, *(finding for case in judged for finding in case.findings)]:
        if finding.severity is Severity.ERROR and not is_a_demand(finding.code):
            return finding
    for case in (case for case in judged if case.is_wrong):
        text = f'The values are wrong in "{case.drawn.name}".'
        step = f"tritonpuzzles check {trial.task.number}"
        return Finding("wrong-values", text, str(trial.file), case=case.drawn.name, next_step=step)
    return None
