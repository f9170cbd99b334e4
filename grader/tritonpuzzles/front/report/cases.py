"""The cases: those that pass in one line, those whose values are wrong in full, the first few at least."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from tritonpuzzles.front.report.style import MARKS, Lines, View, heading, indented
from tritonpuzzles.front.text import dimensions, one_line, plural, significant, two_values
from tritonpuzzles.results import CaseResult, Finding, Mismatch, PuzzleResult, Severity, Verdict

OPEN = 3  # in full
NAMED = 8  # of more, the names
WRONG_VALUES = "wrong-values"
DEVICES = {"cpu": "CPU", "cuda": "GPU"}
LAYOUTS = {"contiguous": "", "padded": "padded rows", "column_slice": "column slice"}


def case_lines(result: PuzzleResult, view: View) -> Lines:
    """Return the section on the cases; nothing where none was run."""
    if not result.cases:
        return []
    failing = [case for case in result.cases if case.verdict is not Verdict.PASS]
    lines = heading("Cases", _counts(result.cases) + _compiled(result))
    if view.verbose:
        lines += _opened(failing, result, view)
        return [*lines, *(_passing(case) for case in result.cases if case.verdict is Verdict.PASS)]
    wrong = _once(_telling_first([case for case in failing if case.mismatch is not None], result.findings))
    lines += _opened(wrong[:OPEN], result, view)
    if wrong[OPEN:]:
        names = "; ".join(one_line(case.name) for case in wrong[OPEN : OPEN + NAMED])
        more = "; ..." if wrong[OPEN + NAMED :] else ""
        lines.append(indented(Text(f"and {len(wrong) - OPEN} more with wrong values: {names}{more}")))
    return [*lines, *_collapsed([case for case in failing if case.mismatch is None], result.findings)]


def _counts(cases: Sequence[CaseResult]) -> str:
    """Return `27 of 27 pass on the CPU, 28 of 30 on the GPU`."""
    parts: list[str] = []
    for device in dict.fromkeys(case.device for case in cases):
        here = [case for case in cases if case.device == device]
        passed = sum(case.verdict is Verdict.PASS for case in here)
        verb = "" if parts else "pass "
        parts.append(f"{passed} of {len(here)} {verb}on the {DEVICES.get(device, one_line(device))}")
    return ", ".join(parts)


def _compiled(result: PuzzleResult) -> str:
    """Return for which GPUs the kernels compile, whether or not there is one."""
    targets = list(dict.fromkeys(one_line(item.target) for item in result.compile if item.ok))
    return f"; compiled for {' and '.join(targets)}" if targets else ""


def _telling_first(cases: list[CaseResult], findings: Sequence[Finding]) -> list[CaseResult]:
    """Put the cases first that a finding names for more than their values: they show the mistake best."""
    named = {finding.case for finding in findings if finding.code != WRONG_VALUES}
    return sorted(cases, key=lambda case: case.name not in named)


def _once(cases: Sequence[CaseResult]) -> list[CaseResult]:
    """Return each name once, where it comes first: a case that ran on CPU and GPU shows one mistake."""
    found: dict[str, CaseResult] = {}
    for case in cases:
        found.setdefault(case.name, case)
    return list(found.values())


def _opened(cases: Sequence[CaseResult], result: PuzzleResult, view: View) -> Lines:
    width = max((len(case.name) for case in cases), default=0) if view.width >= 60 else 0
    lines: Lines = []
    for case in cases:
        mark = MARKS[case.verdict]
        name = one_line(case.name).ljust(width)
        line = Text.assemble((f"{mark.sign} {mark.word}  ", mark.style), (name, "bold"), f"  {_what(case)}")
        lines += [indented(line), *(indented(text, 6) for text in _details(case, result.findings))]
    return lines


def _what(case: CaseResult) -> str:
    """Return shape, dtype and layout of a case."""
    words = [dimensions(case.shape), one_line(case.dtype), LAYOUTS.get(case.layout, one_line(case.layout))]
    return "  ".join(word for word in words if word)


def _details(case: CaseResult, findings: Sequence[Finding]) -> Iterator[Text]:
    if case.mismatch is not None:
        yield from map(Text, _mismatch(case.mismatch))
    elif codes := _codes(case, findings):
        yield Text(codes)
    if case.why:
        yield Text(one_line(case.why), style="dim")


def _mismatch(mismatch: Mismatch) -> tuple[str, str]:
    expected, got = two_values(mismatch.expected, mismatch.got)
    index = ", ".join(str(i) for i in mismatch.first)
    return (
        f"{mismatch.wrong:,} of {plural(mismatch.total, 'element')} wrong: {one_line(mismatch.where)}.",
        f"The first is [{index}]: expected {expected}, got {got}.",
    )


def _codes(case: CaseResult, findings: Sequence[Finding]) -> str:
    """Return why a case fails whose values are right or were never seen; the sentences stand further below."""
    codes = dict.fromkeys(f.code for f in findings if f.case == case.name and f.severity is Severity.ERROR)
    return ", ".join(one_line(code).replace("-", " ") for code in codes)


def _collapsed(cases: Sequence[CaseResult], findings: Sequence[Finding]) -> Iterator[RenderableType]:
    """Yield one line for all cases that do not fail by their values: the findings say the rest."""
    for verdict in dict.fromkeys(case.verdict for case in cases):
        alike = [case for case in cases if case.verdict is verdict]
        reasons = dict.fromkeys(code for case in alike for code in _codes(case, findings).split(", ") if code)
        name = f"{one_line(alike[0].name)}  {_what(alike[0])}" if len(alike) == 1 else f"{len(alike)} cases"
        mark = MARKS[verdict]
        line = Text.assemble((f"{mark.sign} {mark.word}  ", mark.style), (name, "bold"))
        yield indented(line.append(f": {', '.join(reasons)}" if reasons else ""))


def _passing(case: CaseResult) -> RenderableType:
    line = Text.assemble(("✓ pass  ", "green"), one_line(case.name), f"  {_what(case)}")
    if case.max_error is not None and case.tolerance:
        share = significant(case.max_error / case.tolerance, 2)
        line.append(f"  error {case.max_error:.1e}, {share} of the tolerance", style="dim")
    return indented(line)
