"""Checks beside the graded cases: an autotuner's other configurations, exact products, calls without values.

A GPU chooses a configuration by timing, and another GPU may choose another one: each must be correct. A call that is
too large to be computed must run the same kernels and lines as the calls with values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tritonpuzzles.curriculum.mistakes import TF32
from tritonpuzzles.judge.evidence.cases import CaseEvidence, Evidence
from tritonpuzzles.judge.resolve import resolve
from tritonpuzzles.judge.verdict.advice import suggest_line
from tritonpuzzles.judge.verdict.compare import compare
from tritonpuzzles.judge.verdict.diagnosis import diagnose, every_value
from tritonpuzzles.judge.verdict.grids import of_needless_programs
from tritonpuzzles.judge.verdict.host import in_the_host_code
from tritonpuzzles.judge.verdict.judged import UNKNOWN, JudgedCase
from tritonpuzzles.judge.verdict.one_case import judge_case
from tritonpuzzles.judge.workers.trial import MOST_CONFIGURATIONS, Trial
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.codes import Kind, Severity, code_named

LARGEST_SIDE = 1 << 20  # elements, of a tile
ONE_KERNEL = "Launch one kernel, with the same constants, for every size: 64 bits are right for small offsets, too."


def configuration_findings(trial: Trial, evidence: Evidence) -> list[Finding]:
    """Return the first error of each wrong configuration, and how many were tried; an empty list without a choice."""
    count = max((len(case.configurations) for case in evidence.cases.values()), default=0)
    if count > MOST_CONFIGURATIONS:  # one that never ran may be wrong
        text = f"The autotuner has {count} configurations that compute in different ways: more than are tried."
        line = next(iter(trial.file.source.host.configurations), None)
        step = f"Keep at most {MOST_CONFIGURATIONS}; those that differ in num_warps or num_stages alone count as one."
        return [Finding("too-many-configurations", text, file=str(trial.file), line=line, next_step=step)]
    numbers = sorted({number for _, number in evidence.others})
    if not numbers:
        return []
    found = [_wrong(trial, evidence, number) for number in numbers]
    cases = len({index for index, _ in evidence.others})
    text = f"{len(numbers) + 1} configurations of the autotuner were tried: one on every case, the others on {cases}."
    return [*filter(None, found), Finding("configurations-tried", text, file=str(trial.file))]


def _wrong(trial: Trial, evidence: Evidence, number: int) -> Finding | None:
    told = {index: other for (index, tried), other in evidence.others.items() if tried == number}
    judged = [judge_case(trial, trial.cases[index], other) for index, other in sorted(told.items())]
    findings = of_needless_programs([found for case in judged for found in case.findings], judged)
    errors = [found for found in findings if found.severity is Severity.ERROR]
    causes = [] if any(case.is_broken for case in judged) else diagnose(trial.task, judged, trial.file)
    named = [found for found in causes if found.code != UNKNOWN]
    first = next(iter([*named, *errors, *causes]), None)  # the pattern, if nothing else is known
    if first is None:
        return None
    configurations = evidence.cases[min(told)].configurations
    which, source = f"With the configuration {configurations[number] or number}: ", trial.file.source
    lines = source.host.configurations
    lines = lines * len(configurations) if len(lines) == 1 else lines  # one line makes them all
    if code_named(first.code).kind in (Kind.COST, Kind.LIMIT) and len(lines) == len(configurations):
        first = replace(first, line=lines[number])
    (placed,) = in_the_host_code([first], trial.task, source)
    return replace(placed, message=which + placed.message)


def uncompared_findings(trial: Trial, evidence: Evidence) -> Iterator[Finding]:
    """Yield the first thing that a call without values does and none with values; nothing if none launches."""
    told = [(drawn, evidence.cases[index]) for index, drawn in enumerate(trial.cases) if index in evidence.cases]
    compared = [*(case for drawn, case in told if not drawn.phantom), *evidence.others.values()]
    if not any(case.launches for case in compared):
        return
    for drawn, case in told:
        for what, line in _alone(case, compared) if drawn.phantom else ():
            text = f'"{drawn.name}" {what}, and no case with values does: its result is never compared.'
            yield Finding("size-of-its-own", text, line=line, case=drawn.name, next_step=ONE_KERNEL)
            break


def _alone(case: CaseEvidence, compared: Sequence[CaseEvidence]) -> Iterator[tuple[str, int | None]]:
    """Yield what only this case does, in words, with its line: kernels, constants, lines that access memory."""
    chosen = {choice for other in compared for launch in other.launches for choice in launch.choices.items()}
    lines = {line.line for other in compared for line in other.lines}
    for launch in case.launches:
        for name, value in (choice for choice in launch.choices.items() if choice not in chosen):
            number = int(value) if value.isdecimal() else 0
            # A side of a tile, or no number: other numbers may count rows, tiles or programs of a large call.
            if number <= LARGEST_SIDE and number & (number - 1) == 0:
                constant = "" if name == launch.kernel else f" with {name} = {value}"
                yield f"launches {launch.kernel}{constant}", launch.line
    for line in case.lines:
        if line.line not in lines:
            yield f"loads or stores in line {line.line}", line.line


def with_exact_products(trial: Trial, judged: Sequence[JudgedCase]) -> list[JudgedCase]:
    """Return wrong cases with the results of a run without TF32, if there is one; all others unchanged."""
    return [_exactly(trial, case) if case.evidence.exact and case.is_wrong else case for case in judged]


def _exactly(trial: Trial, case: JudgedCase) -> JudgedCase:
    evidence = replace(case.evidence, outputs=case.evidence.exact)
    comparison = compare(case.drawn, evidence.outputs, case.tolerances, trial.device, trial.task.call)
    return replace(case, evidence=evidence, comparison=comparison)


def tf32_finding(trial: Trial, judged: Sequence[JudgedCase], exact: Sequence[JudgedCase]) -> Finding | None:
    """Return the finding for the cases that exact products make right; `None` if there are none."""
    pairs = zip(judged, exact, strict=True)
    blamed = [case for case, other in pairs if case.is_wrong and not other.is_wrong]
    if not blamed:
        return None
    wrong = sum(case.is_wrong for case in judged)
    explained = every_value(blamed) if len(blamed) == wrong else f"{len(blamed)} of the {wrong} wrong cases"
    launched = {launch.kernel for case in blamed for launch in case.evidence.launches}
    own = (mistake for mistake in resolve(trial.task).mistakes if mistake.code == TF32.code)
    mistake = next(own, TF32)  # as the puzzle's record words it, else the grader's
    return Finding(
        TF32.code,
        f"{mistake.says} That explains {explained}: with exact products they are right.",
        file=str(trial.file),
        line=suggest_line(trial.file.source, mistake.lines, trial.file.source.lines_run(launched)),
        case=blamed[0].drawn.name,
        next_step=mistake.next_step,
        details={"cases": [case.drawn.name for case in blamed]},
    )
