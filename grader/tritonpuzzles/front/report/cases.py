"""The cases: those that pass in one line, those that do not in full, the first few at least."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

from tritonpuzzles.front.report.style import MARKS, Lines, View, heading, indented
from tritonpuzzles.front.text import dimensions, one_line, plural, significant, two_values
from tritonpuzzles.results import CaseResult, Finding, Mismatch, PuzzleResult, Severity, Verdict

OPEN = 3  # in full
LISTED = 8  # in one line each, after those
DEVICES = {"cpu": "CPU", "cuda": "GPU"}
LAYOUTS = {"contiguous": "", "padded": "padded rows", "column_slice": "column slice"}


def case_lines(result: PuzzleResult, view: View) -> Lines:
    """Return the section on the cases; nothing where none was run, or nothing was written."""
    if not result.cases or result.verdict is Verdict.UNSOLVED:
        return []
    failing = [case for case in result.cases if case.verdict is not Verdict.PASS]
    lines = heading("Cases", _counts(result.cases))
    width = max((len(case.name) for case in failing), default=0) if view.width >= 60 else 0
    opened = len(failing) if view.verbose else OPEN
    listed = len(failing) if view.verbose else OPEN + LISTED
    for case in failing[:opened]:
        lines += [_row(case, width), *_details(case, result.findings)]
    lines += [_row(case, width) for case in failing[opened:listed]]
    if failing[listed:]:
        lines.append(indented(Text(f"and {plural(len(failing) - listed, 'more case')} (--verbose lists them)")))
    if view.verbose:
        lines += [_passing(case) for case in result.cases if case.verdict is Verdict.PASS]
    return lines


def _counts(cases: Sequence[CaseResult]) -> str:
    """Return `27 of 27 pass on the CPU, 28 of 30 on the GPU`."""
    parts: list[str] = []
    for device in dict.fromkeys(case.device for case in cases):
        here = [case for case in cases if case.device == device]
        passed = sum(case.verdict is Verdict.PASS for case in here)
        verb = "" if parts else "pass " if passed != 1 else "passes "
        parts.append(f"{passed} of {len(here)} {verb}on the {DEVICES.get(device, device)}")
    return ", ".join(parts)


def _row(case: CaseResult, width: int) -> RenderableType:
    mark = MARKS[case.verdict]
    line = Text.assemble((f"{mark.sign} {mark.word}  ", mark.style), (one_line(case.name).ljust(width), "bold"))
    line.append(f"  {_what(case)}")
    return indented(line)


def _what(case: CaseResult) -> str:
    """Return shape, dtype and layout of a case."""
    words = [dimensions(case.shape), case.dtype, LAYOUTS.get(case.layout, case.layout)]
    return "  ".join(word for word in words if word)


def _details(case: CaseResult, findings: Sequence[Finding]) -> Lines:
    lines: Lines = []
    if case.mismatch is not None:
        lines += [indented(Text(sentence), 6) for sentence in _mismatch(case.mismatch)]
    else:
        lines += [indented(Text(one_line(word)), 6) for word in _codes(case, findings)]
    if case.why:
        lines.append(indented(Text(one_line(case.why), style="dim"), 6))
    return lines


def _mismatch(mismatch: Mismatch) -> tuple[str, str]:
    expected, got = two_values(mismatch.expected, mismatch.got)
    index = ", ".join(str(i) for i in mismatch.first)
    return (
        f"{mismatch.wrong:,} of {plural(mismatch.total, 'element')} wrong: {one_line(mismatch.where)}.",
        f"The first is [{index}]: expected {expected}, got {got}.",
    )


def _codes(case: CaseResult, findings: Sequence[Finding]) -> list[str]:
    """Return why a case fails whose values are right or were never seen; the sentences stand further below."""
    codes = dict.fromkeys(f.code for f in findings if f.case == case.name and f.severity is Severity.ERROR)
    return [", ".join(code.replace("-", " ") for code in codes)] if codes else []


def _passing(case: CaseResult) -> RenderableType:
    line = Text.assemble(("✓ pass  ", "green"), one_line(case.name), f"  {_what(case)}")
    if case.max_error is not None and case.tolerance:
        share = significant(case.max_error / case.tolerance, 2)
        line.append(f"  error {case.max_error:.1e}, {share} of the tolerance", style="dim")
    return indented(line)
