"""What goes wrong in a loop that shares turns out among programs, told of with its range, or at it where that decides.

Elements that several programs store, rows that nobody stores, rows beyond the end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tritonpuzzles.judge.verdict.gaps import MOVE
from tritonpuzzles.judge.verdict.loops import Loop, loops_of
from tritonpuzzles.results.causes import BY_PROGRAM, INT32_OVERFLOW, UNWRITTEN
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.codes import Kind

SEVERAL = frozenset({"written-twice", "race-write-write"})
OTHER_AXIS = re.compile(r"program_id\((axis=)?0\).*num_programs\((axis=)?[12]\)")
FIXED = re.compile(r"\d+|[A-Z][A-Z0-9_]*")  # a number, or a constexpr: no number of programs


def at_the_range(findings: Sequence[Finding], path: Path) -> list[Finding]:
    """Return findings, those of stores by several programs at the range that they come from.

    Args:
        findings: of one file.
        path: where it can be read.
    """
    if not any(finding.kind is Kind.SAFETY and finding.line is not None for finding in findings):
        return list(findings)
    loops = loops_of(path)
    return [_placed(finding, loops) if _is_of_several(finding) else _with_range(finding, loops) for finding in findings]


def _with_range(finding: Finding, loops: Sequence[Loop]) -> Finding:
    """Return a finding with the range of the loop around its line, where that shares out turns."""
    if finding.kind is not Kind.SAFETY or finding.line is None:
        return finding
    around = (loop for loop in loops if loop.by_program and loop.line < finding.line <= loop.last_line)
    loop = next(around, None)
    if loop is None or finding.next_step == MOVE or finding.code == INT32_OVERFLOW:  # then it is not the range
        return finding
    line = (
        (loop.end_line or loop.line) if finding.code == UNWRITTEN else finding.line
    )  # its range decides what is stored
    text = f"{finding.message} The loop around it, in line {loop.line}, is {loop.range}."
    return replace(finding, message=text, line=line)


def _is_of_several(finding: Finding) -> bool:
    return finding.code in SEVERAL and "other_program" in finding.details


def _placed(finding: Finding, loops: Sequence[Loop]) -> Finding:
    around = (loop for loop in loops if loop.slow and loop.line < (finding.line or 0) <= loop.last_line)
    if (slow := next(around, None)) is not None:
        return _moved_by_less(finding, slow)
    loop = next((loop for loop in loops if finding.line in loop.rules), None)
    account = _account(loop) if loop is not None else None
    if loop is None or account is None:
        return _with_range(_by_program(finding), loops)
    why, step = account
    return replace(finding, line=loop.line, message=f"{why} {finding.message}", next_step=step)


def _by_program(finding: Finding) -> Finding:
    """Return a finding at the line in which the address comes to depend on the program, where that is known."""
    line = finding.details.get(BY_PROGRAM)
    return replace(finding, line=line) if isinstance(line, int) else finding


def _moved_by_less(finding: Finding, loop: Loop) -> Finding:
    assert loop.slow is not None
    line, name, by = loop.slow.line, loop.slow.name, loop.slow.by
    why = f"The loop of line {loop.line} goes on in steps of {loop.step}, and line {line} moves {name} by {by} alone."
    step = f"Move {name} by as many rows as the loop goes on by: {name} += {loop.step} * {by}."
    return replace(finding, line=line, message=f"{why} {finding.message}", next_step=step)


def _account(loop: Loop) -> tuple[str, str] | None:
    """Return why programs meet in a loop's turns, and what to do; nothing where its text does not prove that."""
    if not loop.by_program:
        why = f"The loop over {loop.variable} takes the same turns in every program."
        return why, f"Begin at the program's number: range(tl.program_id(0), {loop.end}, tl.num_programs(0))."
    if loop.at_program and (FIXED.fullmatch(loop.step) or OTHER_AXIS.search(loop.range)):
        why = f"The loop over {loop.variable} begins at the program's number and goes on in steps of {loop.step}."
        if OTHER_AXIS.search(loop.range):
            why = f"The loop over {loop.variable} is {loop.range}: along another axis there is one program."
        return why, f"Go on in steps of the number of programs: range({loop.begin}, {loop.end}, tl.num_programs(0))."
    return None
