"""The findings: each kind once, the cause before the cost, with the learner's line and the next step."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Group as Stack
from rich.console import RenderableType
from rich.text import Text

from tritonpuzzles.front.report.style import Lines, code_line, heading, item, next_line
from tritonpuzzles.front.text import harmless, one_line, plural
from tritonpuzzles.front.workspace import shown
from tritonpuzzles.results import Finding, PuzzleResult, Severity, Verdict

MAX_SOURCE_BYTES = 1 << 20
WRONG_VALUES = "wrong-values"
COSTS = ("too-many-", "too-few-", "tile-too-large", "scratch-too-large")
SIGNS = {Severity.ERROR: ("✗", "bold red"), Severity.WARNING: ("!", "bold yellow"), Severity.NOTE: ("·", "bold blue")}


@dataclass(frozen=True)
class Group:
    """Findings of one code at one line; the first speaks for all."""

    first: Finding
    cases: tuple[str, ...]


def finding_lines(result: PuzzleResult) -> Lines:
    """Return the section on what was found."""
    groups = grouped(_not_told_yet(result))
    if not groups:
        return []
    errors = any(group.first.severity is Severity.ERROR for group in groups)
    title = "What is wrong" if errors and result.verdict is not Verdict.UNSOLVED else "What was seen"
    source = _source(result.file) if any(group.first.line for group in groups) else []
    return [*heading(title), *(_item(group, result.file, source) for group in groups)]


def grouped(findings: Sequence[Finding]) -> list[Group]:
    """Return findings by code and line, most important first: errors before notes, causes before costs."""
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.severity, finding.code, finding.file, finding.line), []).append(finding)
    merged = [Group(found[0], _names(found)) for found in groups.values()]
    return sorted(merged, key=lambda group: _rank(group.first))


def _names(findings: Sequence[Finding]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(finding.case for finding in findings if finding.case))


def _rank(finding: Finding) -> tuple[int, int]:
    weight = 2 if finding.code == WRONG_VALUES else 1 if finding.code.startswith(COSTS) else 0
    return list(Severity).index(finding.severity), weight


def _not_told_yet(result: PuzzleResult) -> list[Finding]:
    """Leave out wrong values that the cases section has told, with the same numbers."""
    told = {case.name for case in result.cases if case.mismatch is not None}
    if result.verdict is Verdict.UNSOLVED:
        told = set()
    return [f for f in result.findings if f.code != WRONG_VALUES or f.case not in told]


def _item(group: Group, file: str, source: list[str]) -> RenderableType:
    sign, style = SIGNS[group.first.severity]
    sentence, *code = harmless(group.first.message).split("\n")
    text = Text()
    if group.first.severity is not Severity.ERROR:
        text.append(f"{group.first.severity.value}: ", style=style)
    text.append(sentence)
    if where := _where(group.cases):
        text.append(f" {where}", style="dim")
    body: Lines = [text, *(code_line(f"  {line}") for line in code if line.strip())]
    if not code:
        body += quoted(group.first, file, source)
    if group.first.next_step:
        body.append(next_line(one_line(group.first.next_step)))
    return item(sign, style, Stack(*body))


def _where(cases: tuple[str, ...]) -> str:
    if not cases:
        return ""
    return f'(in "{one_line(cases[0])}")' if len(cases) == 1 else f"(in {plural(len(cases), 'case')})"


def quoted(finding: Finding, file: str, source: list[str]) -> Lines:
    """Return the line of the checked file that a finding is about; of other files only the number."""
    if finding.line is None:
        return []
    path = finding.file or file
    lines: Lines = [Text(f"{shown(one_line(path))}:{finding.line}", style="cyan")]
    if os.path.realpath(path) == os.path.realpath(file) and 0 < finding.line <= len(source):
        lines.append(code_line(f"  {finding.line} │ {source[finding.line - 1].strip()}"))
    return lines


def _source(file: str) -> list[str]:
    try:
        with Path(file).open("rb") as stream:
            data = stream.read(MAX_SOURCE_BYTES)
    except OSError:
        return []
    return harmless(data.decode("utf-8-sig", "replace")).split("\n")
